import type { StudyResults } from '../../evaluations/studies';
import { formatCoefficient, NOTHING, formatScore, formatProbability } from '../../formatting/numbers';
import type { TableColumn } from '../../formatting/table';
import { buildSections, type Section } from './section';

/** How far judges agree with themselves. */
export function buildJudgeSections(judges: StudyResults['judge_reliability'] = []): Section[] {
  return buildSections(
    'judges',
    'Judges against themselves',
    "Responses scored repeatedly: spread, Krippendorff's alpha, Pearson's r of their tokens and scores.",
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
