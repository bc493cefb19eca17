import { MEASURES } from '../../schemas/evaluation/measure';
import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import type { Interval } from '../../schemas/text/numbers';
import { computeInterval, resampleSums, type Resampling } from '../scores/bootstrap';
import type { CellKey } from '../scores/cells';
import { listCountedChoice, listCountedGeneration, listCountedInference } from '../scores/counted-instances';
import { computeMatchScores } from '../scores/match-scores';
import { computeNumbers } from '../scores/numbers';
import { choiceSumRule, generationSumRule, inferenceSumRule } from '../scores/sums';
import { getCellKey, groupRows } from './groups';

/** Results on one data set. */
interface DataRows {
  /** The file, or `hub:owner/name@commit`. */
  readonly source: string;
  readonly rows: readonly ScoreRow[];
}

/**
 * One model in one setting on two data sets: a sign of contamination, because an older one may be in the training data, or of different
 * difficulty. The numbers do not say which.
 */
interface DataComparison extends CellKey {
  other_data: string;
  /** The measure of the task: micro F1, mean score, or accuracy. */
  value: number;
  other_value: number;
  /** This data set's value minus the other's. */
  difference: number;
  /** 95 %, from resamples of the personas of both; null if one has fewer than two. */
  interval: Interval | null;
}

/** Compares a data set with others, for the models and settings that both have. */
export function compareDataSets(
  own: readonly ScoreRow[],
  others: readonly DataRows[],
  { seed, resamples }: Resampling,
): DataComparison[] {
  const cells = groupRows(own, getCellKey);
  return others.flatMap(({ source, rows }) => {
    const byKey = new Map(groupRows(rows, getCellKey).map((cell) => [JSON.stringify(cell.name), cell.rows]));
    return cells.flatMap(({ name, rows: ofCell }) => {
      const ofOther = byKey.get(JSON.stringify(name)) ?? [];
      const { key } = MEASURES[name.task];
      const [value, other_value] = [computeNumbers(ofCell)[key], computeNumbers(ofOther)[key]];
      if (value === null || other_value === null) return [];
      const resampled = RESAMPLED[name.task](ofCell, { seed, resamples });
      const otherResampled = RESAMPLED[name.task](ofOther, { seed: seed + 1, resamples });
      const pairs = resampled.flatMap((one, at) => {
        const other = otherResampled[at];
        return other === undefined ? [] : [one - other];
      });
      const interval = computeInterval(pairs, (difference) => difference);
      return [{ ...name, other_data: source, value, other_value, difference: value - other_value, interval }];
    });
  });
}

/** Returns the value of each resample of the personas. */
const RESAMPLED: Readonly<
  Record<Task, (rows: readonly ScoreRow[], resampling: Resampling) => readonly number[]>
> = {
  inference: (rows, resampling) =>
    resampleSums(listCountedInference(rows), inferenceSumRule, resampling).map(
      (sums) => computeMatchScores(sums).f1,
    ),
  generation: (rows, resampling) =>
    resampleSums(listCountedGeneration(rows), generationSumRule, resampling).map(
      ({ score, n_instances }) => score / n_instances,
    ),
  choice: (rows, resampling) =>
    resampleSums(listCountedChoice(rows), choiceSumRule, resampling).map(
      ({ right, n_instances }) => right / n_instances,
    ),
};
