import type { Resampling } from '../../schemas/evaluation/results/summary';
import type { Interval } from '../../schemas/text/numbers';
import { quantileSorted } from 'simple-statistics';
import { groupBy } from '../group-by';
import { createRandom } from '../sampling/random';
import { computeWilsonInterval } from '../statistics/share';
import type { CountedSums } from './counted-instances';
import { computeTotal, type Sums } from './sums';

/** Bounds of an interval that contains 95 % of the resampled values. */
const PERCENTILES = { low: 0.025, high: 0.975 };

/** Default number of resamples for an interval. */
export const RESAMPLES = 2000;

/**
 * Returns the sums of each persona's instances.
 * @param instances in the order of their keys, so that equal data give equal resamples
 * @param none the sums of no instance
 */
export function sumByPersona<Name extends string>(
  instances: readonly CountedSums<Sums<Name>>[],
  none: Sums<Name>,
): Sums<Name>[] {
  return [...groupBy(instances, ({ persona_id }) => persona_id).values()].map((personaInstances) =>
    computeTotal(personaInstances, none),
  );
}

/**
 * Returns the sums of each resample: as many personas as there are, drawn with replacement, each with all its instances. Personas are drawn whole
 * (clusters), because their instances share the request and most of the history. Empty with fewer than two personas, because one does not show how
 * personas differ.
 * @param personaSums from `sumByPersona`
 * @param none the sums of no instance
 */
export function resampleSums<Name extends string>(
  personaSums: readonly Sums<Name>[],
  none: Sums<Name>,
  resampling: Resampling,
): Sums<Name>[] {
  const names: Extract<Name, string>[] = [];
  for (const name in none) names.push(name);
  // Sums without their names, because a bootstrap adds them millions of times.
  const personas = personaSums.map((sums) => Float64Array.from(names, (name) => sums[name]));
  if (personas.length < 2) return [];
  const drawnPlaces = drawPlaces(personas.length, resampling);
  const total = new Float64Array(names.length);
  let next = 0;
  return Array.from({ length: resampling.resamples }, () => {
    total.fill(0);
    for (const end = next + personas.length; next < end; next += 1) {
      const persona = personas[drawnPlaces[next] ?? 0];
      if (persona !== undefined) addAmounts(total, persona);
    }
    const sums: Record<Name, number> = { ...none };
    let at = 0;
    for (const name of names) {
      sums[name] = total[at] ?? 0;
      at += 1;
    }
    return sums;
  });
}

/** Draws the places of the personas of each resample, one resample after the other. */
function drawPlaces(personas: number, { seed, resamples }: Resampling): Uint32Array {
  const parts = JSON.stringify([personas, seed, resamples]);
  if (lastDraws?.parts !== parts) {
    const random = createRandom(seed, 'bootstrap');
    const places = new Uint32Array(personas * resamples);
    for (let at = 0; at < places.length; at += 1) places[at] = random.integer(personas);
    lastDraws = { parts, places };
  }
  return lastDraws.places;
}

/** Cells that are compared have the same personas, so most samples need the draws of the one before. */
let lastDraws: { readonly parts: string; readonly places: Uint32Array } | undefined;

function addAmounts(total: Float64Array, part: Float64Array): void {
  for (let at = 0; at < total.length; at += 1) total[at] = (total[at] ?? 0) + (part[at] ?? 0);
}

/** Returns the interval between the percentiles 2.5 and 97.5 of a value over the resamples; null without resamples. */
export function computeInterval<Resample>(
  resampled: readonly Resample[],
  value: (resample: Resample) => number,
): Interval | null {
  if (resampled.length === 0) return null;
  const values = resampled.map(value).toSorted((a, b) => a - b);
  return { low: quantileSorted(values, PERCENTILES.low), high: quantileSorted(values, PERCENTILES.high) };
}

/** Lowest and highest possible value of a number. */
export type ValueRange = readonly [low: number, high: number];

/**
 * Returns the interval of a value that all n personas have, where resampling shows no difference. By Wilson's interval for none of n, some
 * personas may still differ, each up to the end of the range. At 0 or 1 it is the interval that `cupid validate` has for shares.
 */
export function computeUniformInterval(value: number, [low, high]: ValueRange, n: number): Interval {
  const { high: deviating } = computeWilsonInterval(0, n);
  return { low: value - deviating * (value - low), high: value + deviating * (high - value) };
}
