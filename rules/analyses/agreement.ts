import type { LabelAgreement, ScoreAgreement } from '../../schemas/evaluation/results/figures';
import { MATCH_LABELS, type MatchLabel } from '../../schemas/matching/match-label';

/** Level of measurement: values can be compared for equality, also ordered, or also subtracted. */
type Level = 'nominal' | 'ordinal' | 'interval';

/**
 * Computes Krippendorff's alpha of units × raters ("Computing Krippendorff's Alpha-Reliability", 2011). It is 1 for perfect agreement, 0 for
 * agreement by chance and negative for systematic disagreement. A missing rating is undefined; units with fewer than two ratings are ignored.
 * Raters may differ between units, and their order does not matter. Returns null if no unit has two ratings or all ratings of such units are
 * equal.
 */
export function computeKrippendorffAlpha(
  units: readonly (readonly (number | undefined)[])[],
  level: Level,
): number | null {
  const pairable = units.map(countRatings).filter(({ n }) => n >= 2);
  const all = countRatings(pairable.flatMap(({ ratings }) => ratings));
  const squared = createSquaredDifference(all, level);
  const expected = computeDisagreement(all, squared) / (all.n - 1);
  if (!(expected > 0)) return null;
  let observed = 0;
  for (const unit of pairable) observed += computeDisagreement(unit, squared) / (unit.n - 1);
  return 1 - observed / expected;
}

/** Computes the agreement of raters from all labels that each checklist entry got. */
export function computeLabelAgreement(entries: readonly (readonly MatchLabel[])[]): LabelAgreement {
  // Only the order of the numbers matters.
  const ranks = entries.map((labels) => labels.map((label) => MATCH_LABELS.indexOf(label)));
  return {
    nominal: computeKrippendorffAlpha(ranks, 'nominal'),
    ordinal: computeKrippendorffAlpha(ranks, 'ordinal'),
  };
}

/** Computes the agreement of judges, or of the judgings of one judge, from the scores of each response. */
export function computeScoreAgreement(responses: readonly (readonly number[])[]): ScoreAgreement {
  return {
    ordinal: computeKrippendorffAlpha(responses, 'ordinal'),
    interval: computeKrippendorffAlpha(responses, 'interval'),
  };
}

/** Returns the value that more than half of the ratings have, or undefined. With the paper's three raters, at least two agree (A.1). */
export function findMajority<T>(ratings: readonly T[]): T | undefined {
  return ratings.find(
    (rating) => ratings.filter((candidate) => candidate === rating).length * 2 > ratings.length,
  );
}

interface RatingCounts {
  ratings: number[];
  n: number;
  /** Frequency of each value, lowest value first. */
  counts: [value: number, count: number][];
}

function countRatings(values: readonly (number | undefined)[]): RatingCounts {
  const ratings = values.filter((rating) => rating !== undefined).toSorted((a, b) => a - b);
  const counts = new Map<number, number>();
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1);
  return { ratings, n: ratings.length, counts: [...counts] };
}

/** Returns the sum of the squared differences over all ordered pairs of ratings. */
function computeDisagreement({ counts }: RatingCounts, squared: (a: number, b: number) => number): number {
  let sum = 0;
  for (const [a, countA] of counts) {
    for (const [b, countB] of counts) if (a < b) sum += 2 * countA * countB * squared(a, b);
  }
  return sum;
}

/** Returns a function for the squared difference of two values, the lower one first. */
function createSquaredDifference(all: RatingCounts, level: Level): (a: number, b: number) => number {
  if (level === 'nominal') return () => 1;
  if (level === 'interval') return (a, b) => (b - a) ** 2;
  // Ranks with ties: the number of ratings below a value plus half of those equal to it.
  const ranks = new Map<number, number>();
  let below = 0;
  for (const [value, count] of all.counts) {
    ranks.set(value, below + count / 2);
    below += count;
  }
  return (a, b) => ((ranks.get(b) ?? 0) - (ranks.get(a) ?? 0)) ** 2;
}
