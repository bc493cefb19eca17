import { groupBy } from '../group-by';
import { computeInterval, resampleSums, type Resampling } from './bootstrap';
import { type CellRows, type Setting, getSetting } from './cells';
import { type CountedSums, listCountedGeneration, listCountedInference } from './counted-instances';
import { computeMatchScores } from './match-scores';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { type SumRule, generationSumRule, inferenceSumRule, computeTotal } from './sums';
import type { Interval } from '../../schemas/text/numbers';

/** How far a value of one model lies above the other's, in the value's own unit. */
interface Difference {
  /** The model's value minus the other model's. */
  difference: number;
  /** 95 %; null where the two share fewer than two personas. */
  interval: Interval | null;
}

/** Two models in one setting, over the instances that count for both. The values of the other task are null. */
export interface ModelDifference extends Setting {
  model: string;
  other: string;
  /** Instances that count for both; where there are none, all values are null. */
  n_instances: number;
  /** Of the micro F1, from -1 to 1. */
  f1: Difference | null;
  /** Of the mean of the instances' own F1, from -1 to 1. */
  macro_f1: Difference | null;
  /** Of the mean score, in points of the judge's scale. */
  average_score: Difference | null;
}

/**
 * Returns the paired differences of every two models in the same setting, in order of the cells. Both models' values come from the
 * same instances and, in each resample, from the same personas: what makes an instance hard for both cancels out.
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
    ...(one.cell.task === 'generation' ? compareGeneration : compareInference)(one, other, resampling),
  }));
}

type Values = Pick<ModelDifference, 'n_instances' | 'f1' | 'macro_f1' | 'average_score'>;

function compareInference(one: CellRows, other: CellRows, resampling: Resampling): Values {
  const pairs = pairInstances(listCountedInference(one.rows), listCountedInference(other.rows));
  const differenceOf = comparePairs(pairs, inferenceSumRule, resampling);
  return {
    n_instances: pairs.length,
    f1: differenceOf((sums) => computeMatchScores(sums).f1),
    macro_f1: differenceOf(({ f1, n_instances }) => f1 / n_instances),
    average_score: null,
  };
}

function compareGeneration(one: CellRows, other: CellRows, resampling: Resampling): Values {
  const pairs = pairInstances(listCountedGeneration(one.rows), listCountedGeneration(other.rows));
  const differenceOf = comparePairs(pairs, generationSumRule, resampling);
  return {
    n_instances: pairs.length,
    f1: null,
    macro_f1: null,
    average_score: differenceOf(({ score, n_instances }) => score / n_instances),
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

/** How to compute the difference of any value: the resamples are drawn once for all of them. */
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
