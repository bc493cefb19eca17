import { mapValues } from '../../schemas/map-values';
import { MEASURES } from '../../schemas/evaluation/measure';
import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import type { Interval } from '../../schemas/text/numbers';
import type { Difference } from '../../schemas/evaluation/results/figures';
import type { Resampling } from '../../schemas/evaluation/results/summary';
import {
  computeInterval,
  computeUniformInterval,
  resampleSums,
  sumByPersona,
  type ValueRange,
} from './bootstrap';
import {
  listCountedChoice,
  listCountedGeneration,
  listCountedInference,
  type CountedSums,
} from './counted-instances';
import { CONTEXT_LENGTH_SCORE } from './instance-scores';
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
  readonly range: ValueRange;
  /** Personas with something that counts for it: intervals rest on them. */
  readonly n_personas: number;
  readonly resampled: readonly (number | null)[];
}

/** The values of some rows of one cell. */
interface ValueSample {
  readonly n_instances: number;
  readonly n_personas: number;
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
    precision: (sums) => (sums.n_predicted === 0 ? null : computeMatchScores(sums).precision),
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
    const personas = sumByPersona(countedRows, none);
    const resampled = resampleSums(personas, none, resampling);
    return {
      n_instances: countedRows.length,
      n_personas: personas.length,
      values: mapValues(values, (compute, name): SampledValue => {
        const value = countedRows.length === 0 ? null : compute(total);
        return {
          value,
          range: getRange(name, value),
          n_personas: personas.filter((sums) => compute(sums) !== null).length,
          resampled: resampled.map(compute),
        };
      }),
    };
  };
}

/** Returns the range of a value. A mean score below the lowest of a judge has histories that were too long, which count as 0. */
function getRange(name: ValueName, value: number | null): ValueRange {
  if (name !== 'average_score') return [0, 1];
  const [lowest, highest] = MEASURES.generation.range;
  return [value !== null && value < lowest ? CONTEXT_LENGTH_SCORE : lowest, highest];
}

/** Returns the 95 % interval of a value; null where the value is null, or fewer than two personas have something that counts for it. */
export function computeValueInterval(sampled: SampledValue | undefined): Interval | null {
  if (sampled === undefined || sampled.value === null) return null;
  const { value, range, n_personas } = sampled;
  // A resample in which nothing counts for the value says nothing about it.
  const resampled = sampled.resampled.filter((number) => number !== null);
  return widenUniform(
    computeInterval(resampled, (number) => number),
    value,
    range,
    n_personas,
  );
}

/** Computes the difference of a value of two samples, and in each of their resamples; null where one of the values is null. */
export function computeDifference(
  first: SampledValue | undefined,
  second: SampledValue | undefined,
): Difference | null {
  if (first === undefined || second === undefined || first.value === null || second.value === null)
    return null;
  const difference = first.value - second.value;
  const range: ValueRange = [first.range[0] - second.range[1], first.range[1] - second.range[0]];
  const resampled = first.resampled.flatMap((value, at) => {
    const otherValue = second.resampled[at] ?? null;
    // A resample in which nothing counts for one of them says nothing about the difference.
    return value === null || otherValue === null ? [] : [value - otherValue];
  });
  const n_personas = Math.min(first.n_personas, second.n_personas);
  const interval = computeInterval(resampled, (number) => number);
  return { difference, interval: widenUniform(interval, difference, range, n_personas) };
}

/** Returns the interval of resamples, or that of a value which all personas have. */
function widenUniform(
  interval: Interval | null,
  value: number,
  range: ValueRange,
  n_personas: number,
): Interval | null {
  if (n_personas < 2 || interval === null) return null;
  const isUniform = interval.high - interval.low < ROUNDING;
  return isUniform ? computeUniformInterval(value, range, n_personas) : interval;
}

/** Width below which an interval has none: sums in another order differ in the last digits. */
const ROUNDING = 1e-9;
