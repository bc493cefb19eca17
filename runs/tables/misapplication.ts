import type { StudyResults } from '../../schemas/evaluation/results/studies';
import { formatCount } from '../../schemas/text/count-text';
import { toQuantity, toShare } from '../../schemas/text/table';
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
        { title: 'n', cell: ({ n_responses }) => toQuantity(n_responses) },
        { title: 'missing', cell: ({ n_missing }) => toQuantity(n_missing) },
        {
          title: '%',
          cell: ({ rate }) => toShare(rate),
        },
        { title: 'other', group: 'Mean score', cell: ({ mean }) => toQuantity(mean, 'score') },
        { title: 'true', group: 'Mean score', cell: ({ true_mean }) => toQuantity(true_mean, 'score') },
      ]),
    ),
  );
}
