import type { ReviewTask } from './review';

/** Ratings from 1 to 7, by what was rated; kinds without a rating are absent. */
export type Ratings = Partial<Record<ReviewTask['kind'], KindRatings>>;

interface KindRatings {
  readonly realism: RatingSummary;
  readonly implicitness: RatingSummary;
}

export interface RatingSummary {
  readonly mean: number;
  /** Standard deviation of a sample; null for a single rating. */
  readonly deviation: number | null;
}
