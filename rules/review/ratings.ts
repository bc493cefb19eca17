import { mean, sampleStandardDeviation } from 'simple-statistics';
import type { Ratings, RatingSummary } from '../../schemas/review/ratings';
import type { Annotation, ReviewTask } from '../../schemas/review/review';

type Rated = Pick<ReviewTask, 'kind'> & Pick<Annotation, 'realism' | 'implicitness'>;

/** Computes how realistic and how indirect raters found requests and messages (paper, 3.2: realism of requests). */
export function computeRatings(annotations: readonly Rated[]): Ratings {
  const kinds = (['request', 'preference'] as const).flatMap((kind) => {
    const kindAnnotations = annotations.filter((annotation) => annotation.kind === kind);
    if (kindAnnotations.length === 0) return [];
    const [realism, implicitness] = [
      summarizeRatings(kindAnnotations.map((annotation) => annotation.realism)),
      summarizeRatings(kindAnnotations.map((annotation) => annotation.implicitness)),
    ];
    return [[kind, { realism, implicitness }]];
  });
  return Object.fromEntries(kinds);
}

function summarizeRatings(values: number[]): RatingSummary {
  return { mean: mean(values), deviation: values.length < 2 ? null : sampleStandardDeviation(values) };
}
