import type { Interval } from '../../schemas/text/numbers';
import { quantileSorted } from 'simple-statistics';
import { groupBy } from '../group-by';
import { createRandom } from '../sampling/random';
import type { CountedSums } from './counted-instances';
import { type SumRule, computeTotal } from './sums';

/** Bounds of an interval that contains 95 % of the resampled values. */
const PERCENTILES = { low: 0.025, high: 0.975 };

/** Default number of resamples for an interval. */
export const RESAMPLES = 2000;

/** Parameters of resampling: the same seed gives the same resamples. */
export interface Resampling {
  seed: number;
  resamples: number;
}

/**
 * Returns the sums of each resample: as many personas as there are, drawn with replacement, each with all its instances. Personas are drawn whole
 * (clusters), because their instances share the request and most of the history. Empty with fewer than two personas, because one does not show how
 * personas differ.
 * @param instances in the order of their keys, so that equal data give equal resamples
 */
export function resampleSums<Sums>(
  instances: readonly CountedSums<Sums>[],
  adding: SumRule<Sums>,
  { seed, resamples }: Resampling,
): Sums[] {
  const personas = [...groupBy(instances, ({ persona_id }) => persona_id).values()].map((ofPersona) =>
    computeTotal(ofPersona, adding),
  );
  if (personas.length < 2) return [];
  const random = createRandom(seed, 'bootstrap');
  return Array.from({ length: resamples }, () => {
    const total = adding.none();
    for (let left = personas.length; left > 0; left -= 1) {
      const drawn = personas[random.integer(personas.length)];
      if (drawn !== undefined) adding.add(total, drawn);
    }
    return total;
  });
}

/** Returns the interval between the percentiles 2.5 and 97.5 of a value over the resamples; null without resamples. */
export function computeInterval<Sums>(
  resampled: readonly Sums[],
  value: (sums: Sums) => number,
): Interval | null {
  if (resampled.length === 0) return null;
  const values = resampled.map(value).toSorted((one, other) => one - other);
  return { low: quantileSorted(values, PERCENTILES.low), high: quantileSorted(values, PERCENTILES.high) };
}
