import type { Interval } from '../../schemas/text/numbers';
import { quantileSorted } from 'simple-statistics';
import { groupBy } from '../group-by';
import { createRandom } from '../sampling/random';
import type { CountedSums } from './counted-instances';
import { type SumRule, computeTotal } from './sums';

/** The ends of an interval that holds 95 % of the resampled values. */
const PERCENTILES = { low: 0.025, high: 0.975 };

/** How many resamples an interval is made from by default. */
export const RESAMPLES = 2000;

/** Which resamples: the same seed gives the same ones again. */
export interface Resampling {
  seed: number;
  resamples: number;
}

/**
 * Returns the sums of each resample: as many personas as there are, drawn with replacement, each with all its instances. A persona's
 * instances share their request and most of their history, so they are drawn together (clusters). None where there are
 * fewer than two personas: one alone says nothing of how personas differ.
 * @param instances in order of their keys, so that equal data give equal resamples.
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

/** Returns the interval between the percentiles 2.5 and 97.5 of a value over the resamples; null where there are none. */
export function computeInterval<Sums>(
  resampled: readonly Sums[],
  value: (sums: Sums) => number,
): Interval | null {
  if (resampled.length === 0) return null;
  const values = resampled.map(value).toSorted((one, other) => one - other);
  return { low: quantileSorted(values, PERCENTILES.low), high: quantileSorted(values, PERCENTILES.high) };
}
