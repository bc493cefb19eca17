import { mean, sampleStandardDeviation } from 'simple-statistics';
import type { Ratings, RatingSummary } from '../../schemas/review/ratings';
import type { Annotation, ReviewTask } from '../../schemas/review/review';

type Rated = Pick<ReviewTask, 'kind'> & Pick<Annotation, 'realism' | 'implicitness'>;

/** Computes how realistic and how indirect raters found requests and messages (paper, 3.2: realism of requests). */
export function computeRatings(rated: readonly Rated[]): Ratings {
  const kinds = (['request', 'preference'] as const).flatMap((kind) => {
    const own = rated.filter((one) => one.kind === kind);
    if (own.length === 0) return [];
    const [realism, implicitness] = [
      summarizeRatings(own.map((one) => one.realism)),
      summarizeRatings(own.map((one) => one.implicitness)),
    ];
    return [[kind, { realism, implicitness }]];
  });
  return Object.fromEntries(kinds);
}

function summarizeRatings(values: number[]): RatingSummary {
  return { mean: mean(values), deviation: values.length < 2 ? null : sampleStandardDeviation(values) };
}
