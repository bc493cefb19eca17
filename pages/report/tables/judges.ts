import type { EvaluationResults } from '../../../schemas/evaluation/results';
import type { StudyResults } from '../../../schemas/evaluation/results/studies';
import { groupBy } from '../../../rules/group-by';
import {
  formatCoefficient,
  NOTHING,
  formatScore,
  formatProbability,
  formatSigned,
} from '../../../schemas/text/numbers';
import { buildCells, buildSections, type CellColumn, type Section } from './section';

/** Builds tables of the agreement between judges. */
export function buildJudgeComparisonSections(
  comparisons: EvaluationResults['analyses']['judges'],
): Section[] {
  const pairs = groupBy(comparisons, ({ first, second }) => JSON.stringify([first, second]));
  return buildSections(
    'judge-comparison',
    'Judges against each other',
    "Responses that both scored: Krippendorff's alpha, Pearson's r, and the mean of the first judge's scores minus the second's.",
    [...pairs.values()].map((pairComparisons) => ({
      above: pairComparisons.slice(0, 1).map(({ first, second }) => `${first} and ${second}`),
      columns: COMPARISON_COLUMNS,
      rows: pairComparisons.map((comparison) => buildCells(COMPARISON_COLUMNS, comparison)),
    })),
  );
}

const COMPARISON_COLUMNS: readonly CellColumn<EvaluationResults['analyses']['judges'][number]>[] = [
  { title: '', text: ({ context }) => `context ${context}` },
  { title: 'responses', text: ({ n_responses }) => `${n_responses}` },
  { title: 'ordinal', group: 'Alpha', text: ({ alpha }) => formatCoefficient(alpha.ordinal) },
  { title: 'interval', group: 'Alpha', text: ({ alpha }) => formatCoefficient(alpha.interval) },
  { title: 'r', group: 'Correlation', text: ({ correlation }) => formatCoefficient(correlation.r) },
  { title: 'p', group: 'Correlation', text: ({ correlation }) => formatProbability(correlation.p) },
  { title: 'difference', text: ({ mean_difference }) => formatSigned(mean_difference, formatScore) },
];

/** Builds a table of each judge's agreement with itself. */
export function buildJudgeSections(judges: StudyResults['judge_reliability'] = []): Section[] {
  return buildSections(
    'repeats',
    'Judges against themselves',
    "Responses scored repeatedly: mean sd and range, Krippendorff's alpha, Pearson's r with length.",
    [{ above: [], columns: COLUMNS, rows: judges.map((judge) => buildCells(COLUMNS, judge)) }],
  );
}

const COLUMNS: readonly CellColumn<NonNullable<StudyResults['judge_reliability']>[number]>[] = [
  { title: 'judge', text: ({ evaluator }) => evaluator },
  { title: 'responses', text: ({ n_responses }) => `${n_responses}` },
  { title: 'missing', text: ({ n_missing }) => `${n_missing}` },
  { title: 'sd', group: 'Spread', text: ({ mean_deviation }) => formatScore(mean_deviation) },
  { title: 'range', group: 'Spread', text: ({ mean_range }) => formatScore(mean_range) },
  { title: 'most', group: 'Spread', text: ({ largest_range }) => `${largest_range ?? NOTHING}` },
  { title: 'ordinal', group: 'Alpha', text: ({ alpha }) => formatCoefficient(alpha.ordinal) },
  { title: 'interval', group: 'Alpha', text: ({ alpha }) => formatCoefficient(alpha.interval) },
  { title: 'r', group: 'With length', text: ({ score_and_length }) => formatCoefficient(score_and_length.r) },
  { title: 'p', group: 'With length', text: ({ score_and_length }) => formatProbability(score_and_length.p) },
];
