import type { StudyResults } from '../../../schemas/evaluation/results/studies';
import { formatCount } from '../../../schemas/text/count-text';
import { formatInterval, formatPercent, formatScore } from '../../../schemas/text/numbers';
import { buildModelTable, buildSections, groupByEvaluation, type Section } from './section';

/** Builds the table of how far responses follow a preference that belongs to another context. */
export function buildMisapplicationSections({
  misapplication = [],
  missing_contrasts: lackingCount = 0,
}: Pick<StudyResults, 'misapplication' | 'missing_contrasts'>): Section[] {
  const omission =
    lackingCount === 0
      ? []
      : [`${formatCount(lackingCount, 'response')} left out: the data do not show the other preference`];
  return buildSections(
    'misapplication',
    'Preferences applied in the wrong context',
    'Contrastive rows: responses with a score of 6 or more on the preference of the other context.',
    groupByEvaluation(misapplication).map(({ line, entries }) =>
      buildModelTable([line, ...omission], entries, [
        { title: 'n', text: ({ n }) => `${n}` },
        { title: 'missing', text: ({ n_missing }) => `${n_missing}` },
        { title: '%', text: ({ rate }) => formatPercent(rate?.share) },
        { title: '95 %', text: ({ rate }) => formatInterval(rate?.interval, formatPercent) },
        { title: 'other', group: 'Mean score', text: ({ mean }) => formatScore(mean) },
        { title: 'true', group: 'Mean score', text: ({ true_mean }) => formatScore(true_mean) },
      ]),
    ),
  );
}
