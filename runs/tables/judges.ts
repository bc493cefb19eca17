import type { EvaluationResults } from '../../schemas/evaluation/results';
import type { StudyResults } from '../../schemas/evaluation/results/studies';
import { groupBy } from '../../rules/group-by';
import { toQuantity } from '../../schemas/text/table';
import { buildCells, buildSections, type EntryColumn, omitCells, type Section } from './section';

/** Builds tables of the agreement between judges. */
export function buildJudgeComparisonSections(
  comparisons: EvaluationResults['analyses']['judges'],
): Section[] {
  const pairs = groupBy(comparisons, ({ first, second }) => `${first} and ${second}`);
  return buildSections(
    'judge-comparison',
    'Judges against each other',
    "Responses that both scored: Krippendorff's alpha, Pearson's r, and the mean of the first judge's scores minus the second's.",
    [...pairs].map(([title, pairComparisons]) => ({
      title,
      columns: omitCells(COMPARISON_COLUMNS),
      rows: pairComparisons.map((comparison) => ({
        name: `context ${comparison.context}`,
        cells: buildCells(COMPARISON_COLUMNS, comparison),
      })),
    })),
  );
}

const COMPARISON_COLUMNS: readonly EntryColumn<EvaluationResults['analyses']['judges'][number]>[] = [
  { title: 'responses', cell: ({ n_responses }) => toQuantity(n_responses) },
  { title: 'ordinal', group: 'Alpha', cell: ({ alpha }) => toQuantity(alpha.ordinal, 'coefficient') },
  { title: 'interval', group: 'Alpha', cell: ({ alpha }) => toQuantity(alpha.interval, 'coefficient') },
  { title: 'r', group: 'Correlation', cell: ({ correlation }) => toQuantity(correlation.r, 'coefficient') },
  { title: 'p', group: 'Correlation', cell: ({ correlation }) => toQuantity(correlation.p, 'probability') },
  {
    title: 'difference',
    cell: ({ mean_difference }) => toQuantity(mean_difference, 'score', { isSigned: true }),
  },
];

/** Builds a table of each judge's agreement with itself. */
export function buildJudgeSections(judges: StudyResults['judge_reliability'] = []): Section[] {
  return buildSections(
    'repeats',
    'Judges against themselves',
    "Responses scored repeatedly: mean sd and range, Krippendorff's alpha, Pearson's r with length.",
    [
      {
        names: 'judge',
        columns: omitCells(COLUMNS),
        rows: judges.map((judge) => ({ name: judge.evaluator, cells: buildCells(COLUMNS, judge) })),
      },
    ],
  );
}

const COLUMNS: readonly EntryColumn<NonNullable<StudyResults['judge_reliability']>[number]>[] = [
  { title: 'responses', cell: ({ n_responses }) => toQuantity(n_responses) },
  { title: 'missing', cell: ({ n_missing }) => toQuantity(n_missing) },
  { title: 'sd', group: 'Spread', cell: ({ mean_deviation }) => toQuantity(mean_deviation, 'score') },
  { title: 'range', group: 'Spread', cell: ({ mean_range }) => toQuantity(mean_range, 'score') },
  { title: 'most', group: 'Spread', cell: ({ largest_range }) => toQuantity(largest_range) },
  { title: 'ordinal', group: 'Alpha', cell: ({ alpha }) => toQuantity(alpha.ordinal, 'coefficient') },
  { title: 'interval', group: 'Alpha', cell: ({ alpha }) => toQuantity(alpha.interval, 'coefficient') },
  {
    title: 'r',
    group: 'With length',
    cell: ({ score_and_length }) => toQuantity(score_and_length.r, 'coefficient'),
  },
  {
    title: 'p',
    group: 'With length',
    cell: ({ score_and_length }) => toQuantity(score_and_length.p, 'probability'),
  },
];
