import { mapValues } from '../../schemas/map-values';
import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import type { Interval } from '../../schemas/text/numbers';
import type { Difference } from '../../schemas/evaluation/results/figures';
import type { Resampling } from '../../schemas/evaluation/results/summary';
import { computeInterval, resampleSums } from './bootstrap';
import {
  listCountedChoice,
  listCountedGeneration,
  listCountedInference,
  type CountedSums,
} from './counted-instances';
import { computeMatchScores } from './match-scores';
import { computeTotal, NO_SUMS, type Sums } from './sums';

/** A value of a task with an interval. */
export type ValueName =
  | 'precision'
  | 'recall'
  | 'f1'
  | 'macro_f1'
  | 'average_score'
  | 'accuracy'
  | 'paired_accuracy'
  | 'triple_accuracy';

/** A value of some rows, and of each of their resamples; null where nothing counts for it. */
interface SampledValue {
  readonly value: number | null;
  readonly resampled: readonly (number | null)[];
}

/** The values of some rows of one cell. */
interface ValueSample {
  readonly n_instances: number;
  /** Those of the cell's task. */
  readonly values: Readonly<Partial<Record<ValueName, SampledValue>>>;
}

type Sampler = (rows: readonly ScoreRow[], resampling: Resampling) => ValueSample;

/** Computes the values of rows of one cell, and of resamples of their personas. */
export function sampleValues(task: Task, rows: readonly ScoreRow[], resampling: Resampling): ValueSample {
  return SAMPLERS[task](rows, resampling);
}

const SAMPLERS: Readonly<Record<Task, Sampler>> = {
  inference: createSampler(NO_SUMS.inference, listCountedInference, {
    precision: (sums) => computeMatchScores(sums).precision,
    recall: (sums) => computeMatchScores(sums).recall,
    f1: (sums) => computeMatchScores(sums).f1,
    macro_f1: ({ f1, n_instances }) => f1 / n_instances,
  }),
  generation: createSampler(NO_SUMS.generation, listCountedGeneration, {
    average_score: ({ score, n_instances }) => score / n_instances,
  }),
  choice: createSampler(NO_SUMS.choice, listCountedChoice, {
    accuracy: ({ right, n_instances }) => right / n_instances,
    paired_accuracy: ({ right_pairs, n_pairs }) => (n_pairs === 0 ? null : right_pairs / n_pairs),
    triple_accuracy: ({ right_triples, n_triples }) => (n_triples === 0 ? null : right_triples / n_triples),
  }),
};

function createSampler<Name extends string, Value extends ValueName>(
  none: Sums<Name>,
  listCounted: (rows: readonly ScoreRow[]) => CountedSums<Sums<Name>>[],
  values: Readonly<Record<Value, (sums: Sums<Name>) => number | null>>,
): Sampler {
  return (rows, resampling) => {
    const countedRows = listCounted(rows);
    const total = computeTotal(countedRows, none);
    const resampled = resampleSums(countedRows, none, resampling);
    return {
      n_instances: countedRows.length,
      values: mapValues(values, (compute): SampledValue => ({
        value: countedRows.length === 0 ? null : compute(total),
        resampled: resampled.map(compute),
      })),
    };
  };
}

/** Returns the 95 % interval of a value; null where the value is null, or fewer than two personas have instances that count. */
export function computeValueInterval(sampled: SampledValue | undefined): Interval | null {
  if (sampled === undefined || sampled.value === null) return null;
  // A resample in which nothing counts for the value says nothing about it.
  const values = sampled.resampled.filter((value) => value !== null);
  return computeInterval(values, (value) => value);
}

/** Computes the difference of a value of two samples, and in each of their resamples; null where one of the values is null. */
export function computeDifference(
  first: SampledValue | undefined,
  second: SampledValue | undefined,
): Difference | null {
  if (first === undefined || second === undefined || first.value === null || second.value === null)
    return null;
  const differences = first.resampled.flatMap((value, at) => {
    const otherValue = second.resampled[at];
    return otherValue === undefined ? [] : [(value ?? 0) - (otherValue ?? 0)];
  });
  return {
    difference: first.value - second.value,
    interval: computeInterval(differences, (difference) => difference),
  };
}
