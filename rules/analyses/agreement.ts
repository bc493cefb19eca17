import { MATCH_LABELS, type MatchLabel } from '../../schemas/evaluation/evaluation';

/** What the values of a rating allow: comparison for equality, ordering, or subtraction as well. */
export type Level = 'nominal' | 'ordinal' | 'interval';

/**
 * Krippendorff's alpha of units × raters: 1 for perfect agreement, 0 for what chance would give, below 0 for systematic
 * disagreement ("Computing Krippendorff's Alpha-Reliability", 2011). A missing rating is undefined; units with fewer than two
 * ratings count nowhere. Raters may differ from unit to unit, and their order does not matter. Null where alpha is not defined:
 * without a unit rated twice, or when all such ratings are the same, so that chance could not have given anything else.
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

/** Krippendorff's alpha of match labels, as categories and as an order; null where it is not defined. */
export interface LabelAgreement {
  nominal: number | null;
  ordinal: number | null;
}

/** How far those who labelled agree; for each checklist entry all labels it was given. */
export function computeLabelAgreement(entries: readonly (readonly MatchLabel[])[]): LabelAgreement {
  // Only the order of the numbers matters.
  const ranks = entries.map((labels) => labels.map((label) => MATCH_LABELS.indexOf(label)));
  return {
    nominal: computeKrippendorffAlpha(ranks, 'nominal'),
    ordinal: computeKrippendorffAlpha(ranks, 'ordinal'),
  };
}

/**
 * What most raters say: with the three of the paper, what at least two of them say (A.1). Undefined when no rating has more
 * than half.
 */
export function findMajority<T>(ratings: readonly T[]): T | undefined {
  return ratings.find((rating) => ratings.filter((other) => other === rating).length * 2 > ratings.length);
}

interface Counts {
  ratings: number[];
  n: number;
  /** How often each value was given; lowest value first. */
  counts: [value: number, count: number][];
}

function countRatings(given: readonly (number | undefined)[]): Counts {
  const ratings = given.filter((rating) => rating !== undefined).toSorted((one, other) => one - other);
  const counts = new Map<number, number>();
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1);
  return { ratings, n: ratings.length, counts: [...counts] };
}

/** Sum of the squared differences over all ordered pairs of ratings. */
function computeDisagreement({ counts }: Counts, squared: (one: number, other: number) => number): number {
  let sum = 0;
  for (const [one, ones] of counts) {
    for (const [other, others] of counts) if (one < other) sum += 2 * ones * others * squared(one, other);
  }
  return sum;
}

/** Returns the squared difference of two values, the lower one first. */
function createSquaredDifference(all: Counts, level: Level): (one: number, other: number) => number {
  if (level === 'nominal') return () => 1;
  if (level === 'interval') return (one, other) => (other - one) ** 2;
  // Ranks between ties: how many ratings lie below a value, and half of those that share it.
  const ranks = new Map<number, number>();
  let below = 0;
  for (const [value, count] of all.counts) {
    ranks.set(value, below + count / 2);
    below += count;
  }
  return (one, other) => ((ranks.get(other) ?? 0) - (ranks.get(one) ?? 0)) ** 2;
}
