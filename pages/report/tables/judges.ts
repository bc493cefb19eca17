import type { EvaluationResults } from '../../../runs/evaluate/results';
import type { StudyResults } from '../../../runs/evaluate/studies';
import { groupBy } from '../../../rules/group-by';
import {
  formatCoefficient,
  NOTHING,
  formatScore,
  formatProbability,
  formatSigned,
} from '../../../schemas/text/numbers';
import type { TableColumn } from '../../../schemas/text/table';
import { buildSections, type Section } from './section';

/** Builds tables of the agreement between judges. */
export function buildJudgeComparisonSections(
  comparisons: EvaluationResults['analyses']['judges'],
): Section[] {
  const pairs = groupBy(comparisons, ({ first, second }) => JSON.stringify([first, second]));
  return buildSections(
    'judge-comparison',
    'Judges against each other',
    "Responses that both scored: Krippendorff's alpha, Pearson's r, and the mean of the first judge's scores minus the second's.",
    [...pairs.values()].map((own) => ({
      above: own.slice(0, 1).map(({ first, second }) => `${first} and ${second}`),
      columns: COMPARISON_COLUMNS,
      rows: own.map(({ context, n_responses, alpha, correlation, mean_difference }) => [
        `context ${context}`,
        `${n_responses}`,
        formatCoefficient(alpha.ordinal),
        formatCoefficient(alpha.interval),
        formatCoefficient(correlation.r),
        formatProbability(correlation.p),
        formatSigned(mean_difference, formatScore),
      ]),
    })),
  );
}

const COMPARISON_COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'responses' },
  { title: 'ordinal', group: 'Alpha' },
  { title: 'interval', group: 'Alpha' },
  { title: 'r', group: 'Correlation' },
  { title: 'p', group: 'Correlation' },
  { title: 'difference' },
];

/** Builds a table of each judge's agreement with itself. */
export function buildJudgeSections(judges: StudyResults['judge_reliability'] = []): Section[] {
  return buildSections(
    'judges',
    'Judges against themselves',
    "Responses scored repeatedly: mean sd and range, Krippendorff's alpha, Pearson's r with length.",
    judges.length === 0
      ? []
      : [
          {
            above: [],
            columns: COLUMNS,
            rows: judges.map((judge) => [
              judge.evaluator,
              `${judge.n_responses}`,
              `${judge.n_missing}`,
              formatScore(judge.mean_deviation),
              formatScore(judge.mean_range),
              `${judge.largest_range ?? NOTHING}`,
              formatCoefficient(judge.alpha.ordinal),
              formatCoefficient(judge.alpha.interval),
              formatCoefficient(judge.score_and_length.r),
              formatProbability(judge.score_and_length.p),
            ]),
          },
        ],
  );
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'judge' },
  { title: 'responses' },
  { title: 'missing' },
  { title: 'sd', group: 'Spread' },
  { title: 'range', group: 'Spread' },
  { title: 'most', group: 'Spread' },
  { title: 'ordinal', group: 'Alpha' },
  { title: 'interval', group: 'Alpha' },
  { title: 'r', group: 'With length' },
  { title: 'p', group: 'With length' },
];
