import type { StudyResults } from '../../../runs/evaluate/studies';
import { formatCount } from '../../../schemas/text/count-text';
import { formatInterval, formatPercent, formatScore } from '../../../schemas/text/numbers';
import { buildRowsByContext, buildSections, groupByEvaluation, indentName, type Section } from './section';

/** Builds the table of how far responses follow a preference that belongs to another context. */
export function buildMisapplicationSections({
  misapplication = [],
  misapplication_lacking: lacking = 0,
}: Pick<StudyResults, 'misapplication' | 'misapplication_lacking'>): Section[] {
  return buildSections(
    'misapplication',
    'Preferences applied in the wrong context',
    'Contrastive rows: responses with a score of 6 or more on the preference of the other context.',
    groupByEvaluation(misapplication).map(({ line, entries }) => ({
      above: [
        line,
        ...(lacking === 0
          ? []
          : [`${formatCount(lacking, 'response')} left out: the data do not show the other preference`]),
      ],
      columns: [
        ...['', 'n', 'missing', '%', '95 %'].map((title) => ({ title })),
        ...['other', 'true'].map((title) => ({ title, group: 'Mean score' })),
      ],
      rows: buildRowsByContext(entries, (own) =>
        own.map(({ model, n, n_missing, rate, mean, true_mean }) => [
          indentName(model),
          `${n}`,
          `${n_missing}`,
          formatPercent(rate?.share),
          formatInterval(rate?.interval, formatPercent),
          formatScore(mean),
          formatScore(true_mean),
        ]),
      ),
    })),
  );
}
