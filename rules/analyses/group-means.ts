import { mean } from 'simple-statistics';
import { groupBy } from '../group-by';

/** The result of an instance, with the place by which it is grouped. */
export interface PlacedResult {
  readonly place: number;
  readonly result: number;
}

/** Computes the number of instances and their mean result for each place, in ascending order. */
export function computeGroupMeans(
  placements: readonly PlacedResult[],
): { place: number; n_instances: number; mean: number }[] {
  return [...groupBy(placements, ({ place }) => place)]
    .toSorted(([a], [b]) => a - b)
    .map(([place, group]) => ({
      place,
      n_instances: group.length,
      mean: mean(group.map(({ result }) => result)),
    }));
}
