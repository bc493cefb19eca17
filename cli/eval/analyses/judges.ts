import type { StudyResults } from '../../../evaluations/studies';
import { coefficient, NOTHING, points, probability } from '../../text/numbers';
import type { TableColumn } from '../../text/table';
import { section } from './section';

/** How far judges agree with themselves. */
export function judgeTables(judges: StudyResults['judge_reliability'] = []): string[] {
  return section(
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
              points(judge.mean_deviation),
              points(judge.mean_range),
              `${judge.largest_range ?? NOTHING}`,
              coefficient(judge.alpha.ordinal),
              coefficient(judge.alpha.interval),
              coefficient(judge.score_and_length.r),
              probability(judge.score_and_length.p),
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
