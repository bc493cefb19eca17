import { MEASURES } from '../../schemas/evaluation/measure';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { DataComparison } from '../../schemas/evaluation/results/analyses';
import type { Resampling } from '../../schemas/evaluation/results/summary';
import { computeNumbers } from '../scores/numbers';
import { computeDifference, sampleValues } from '../scores/samples';
import { getCellKey, groupRows } from './groups';

/** Results on one data set. */
interface DataRows {
  /** The file, or `hub:owner/name@commit`. */
  readonly source: string;
  readonly rows: readonly ScoreRow[];
}

/** Compares a data set with others, for the models and settings that both have. */
export function compareDataSets(
  ownRows: readonly ScoreRow[],
  otherSets: readonly DataRows[],
  { seed, resamples }: Resampling,
): DataComparison[] {
  const cells = groupRows(ownRows, getCellKey);
  return otherSets.flatMap(({ source, rows }) => {
    const byKey = new Map(groupRows(rows, getCellKey).map((cell) => [JSON.stringify(cell.name), cell.rows]));
    return cells.flatMap(({ name, rows: ofCell }) => {
      const ofOther = byKey.get(JSON.stringify(name));
      if (ofOther === undefined) return [];
      const { key } = MEASURES[name.task];
      const sample = sampleValues(name.task, ofCell, { seed, resamples });
      const otherSample = sampleValues(name.task, ofOther, { seed: seed + 1, resamples });
      const difference = computeDifference(sample.values[key], otherSample.values[key]);
      const [value, other_value] = [computeNumbers(ofCell)[key], computeNumbers(ofOther)[key]];
      if (difference === null || value === null || other_value === null) return [];
      const counts = { n_instances: sample.n_instances, other_n_instances: otherSample.n_instances };
      return [{ ...name, other_data: source, value, other_value, ...difference, ...counts }];
    });
  });
}
