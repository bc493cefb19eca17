import type { Task } from '../../schemas/evaluation/evaluation';
import { groupBy } from '../group-by';
import { computeInterval, resampleSums, type Resampling } from './bootstrap';
import { type CellKey, type CellRows, type Setting, getSetting } from './cells';
import {
  type CountedSums,
  listCountedChoice,
  listCountedGeneration,
  listCountedInference,
} from './counted-instances';
import { computeMatchScores } from './match-scores';
import { listShared } from './numbers';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { type SumRule, choiceSumRule, generationSumRule, inferenceSumRule, computeTotal } from './sums';
import type { Interval } from '../../schemas/text/numbers';

/** Difference of two models' values, in the unit of the values. */
interface Difference {
  /** The model's value minus the other model's. */
  difference: number;
  /** 95 %; null if the two share fewer than two personas. */
  interval: Interval | null;
}

/** Values of one cell minus those of another, over the instances that count for both. Values of other tasks are null. */
interface Differences {
  /** Instances that count for both; without any, all values are null. */
  n_instances: number;
  /** Difference of the micro F1, from -1 to 1. */
  f1: Difference | null;
  /** Difference of the mean of the instances' own F1, from -1 to 1. */
  macro_f1: Difference | null;
  /** Difference of the mean score, in points of the judge's scale. */
  average_score: Difference | null;
  /** Differences of the accuracy and of the paired accuracy of a choice, from -1 to 1; the latter is null without pairs. */
  accuracy: Difference | null;
  paired_accuracy: Difference | null;
}

/** Two models in one setting. */
export interface ModelDifference extends Setting, Differences {
  model: string;
  other: string;
}

/** One model, given two forms of the history. */
export interface ContextDifference extends CellKey, Differences {
  other: Setting['context'];
}

/**
 * Computes the paired differences of every two models in the same setting, in the order of the cells. Both values come from the same instances
 * and, in each resample, from the same personas, so difficulty common to both models cancels out.
 */
export function computeModelDifferences(
  cells: readonly CellRows[],
  resampling: Resampling,
): ModelDifference[] {
  const settings = groupBy(cells, ({ cell }) => JSON.stringify(getSetting(cell)));
  return [...settings.values()].flatMap(listPairs).map(([one, other]) => ({
    ...getSetting(one.cell),
    model: one.cell.model,
    other: other.cell.model,
    ...compareCells(one, other, resampling),
  }));
}

/** Computes the paired differences of every two contexts of the same model and evaluator, in the same way. */
export function computeContextDifferences(
  cells: readonly CellRows[],
  resampling: Resampling,
): ContextDifference[] {
  const models = groupBy(cells, ({ cell }) => JSON.stringify({ ...cell, context: undefined }));
  return [...models.values()].flatMap(listPairs).map(([one, other]) => ({
    ...one.cell,
    other: other.cell.context,
    ...compareCells(one, other, resampling),
  }));
}

function compareCells(one: CellRows, other: CellRows, resampling: Resampling): Differences {
  return { ...NOT_COMPARED, ...COMPARISONS[one.cell.task](one, other, resampling) };
}

const NOT_COMPARED = {
  f1: null,
  macro_f1: null,
  average_score: null,
  accuracy: null,
  paired_accuracy: null,
} as const satisfies Partial<Differences>;

type Values = Pick<Differences, 'n_instances'> & Partial<Differences>;

const COMPARISONS: Readonly<
  Record<Task, (one: CellRows, other: CellRows, resampling: Resampling) => Values>
> = { inference: compareInference, generation: compareGeneration, choice: compareChoice };

function compareInference(one: CellRows, other: CellRows, resampling: Resampling): Values {
  const pairs = pairInstances(listCountedInference(one.rows), listCountedInference(other.rows));
  const differenceOf = comparePairs(pairs, inferenceSumRule, resampling);
  return {
    n_instances: pairs.length,
    f1: differenceOf((sums) => computeMatchScores(sums).f1),
    macro_f1: differenceOf(({ f1, n_instances }) => f1 / n_instances),
  };
}

function compareGeneration(one: CellRows, other: CellRows, resampling: Resampling): Values {
  const pairs = pairInstances(listCountedGeneration(one.rows), listCountedGeneration(other.rows));
  const differenceOf = comparePairs(pairs, generationSumRule, resampling);
  return {
    n_instances: pairs.length,
    average_score: differenceOf(({ score, n_instances }) => score / n_instances),
  };
}

/** Compares over the rows that count for both models, so that both have the same pairs. */
function compareChoice(one: CellRows, other: CellRows, resampling: Resampling): Values {
  const pairs = pairInstances(
    listCountedChoice(listShared(other.rows, one.rows)),
    listCountedChoice(listShared(one.rows, other.rows)),
  );
  const differenceOf = comparePairs(pairs, choiceSumRule, resampling);
  const hasPairs = pairs.some(({ sums }) => sums.one.n_pairs > 0);
  return {
    n_instances: pairs.length,
    accuracy: differenceOf(({ right, n_instances }) => right / n_instances),
    paired_accuracy: hasPairs
      ? differenceOf(({ right_pairs, n_pairs }) => (n_pairs === 0 ? 0 : right_pairs / n_pairs))
      : null,
  };
}

function listPairs<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((one, place) => items.slice(place + 1).map((other): [Item, Item] => [one, other]));
}

/** The sums of both models, over the same instances. */
interface Pair<Sums> {
  one: Sums;
  other: Sums;
}

function pairInstances<Sums>(
  ones: readonly CountedSums<Sums>[],
  others: readonly CountedSums<Sums>[],
): CountedSums<Pair<Sums>>[] {
  const otherSums = new Map(others.map((instance) => [buildInstanceKey(instance), instance.sums]));
  return ones.flatMap(({ sums: one, ...instance }) => {
    const other = otherSums.get(buildInstanceKey(instance));
    return other === undefined ? [] : [{ ...instance, sums: { one, other } }];
  });
}

/** Returns a function that computes the difference of a value. The resamples are drawn once for all values. */
function comparePairs<Sums>(
  pairs: readonly CountedSums<Pair<Sums>>[],
  { none, add }: SumRule<Sums>,
  resampling: Resampling,
): (value: (sums: Sums) => number) => Difference | null {
  const adding: SumRule<Pair<Sums>> = {
    none: () => ({ one: none(), other: none() }),
    add: (total, part) => {
      add(total.one, part.one);
      add(total.other, part.other);
    },
  };
  const total = computeTotal(pairs, adding);
  const resampled = resampleSums(pairs, adding, resampling);
  return (value) => {
    if (pairs.length === 0) return null;
    const difference = ({ one, other }: Pair<Sums>) => value(one) - value(other);
    return { difference: difference(total), interval: computeInterval(resampled, difference) };
  };
}
