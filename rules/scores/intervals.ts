import type { ScoreRow } from '../../schemas/evaluation';
import { type Interval, intervalOf, resampledSums, type Resampling } from './bootstrap';
import { countedGeneration, countedInference } from './counted';
import { matchScores } from './match-scores';
import { generationAdding, inferenceAdding } from './sums';

/** 95 % intervals of the averages of inference; null where fewer than two personas have instances that count. */
export interface InferenceIntervals {
  precision: Interval | null;
  recall: Interval | null;
  f1: Interval | null;
  /** Of the mean of the instances' own F1. */
  macro_f1: Interval | null;
}

/** The 95 % interval of the average of generation; null where fewer than two personas have instances that count. */
export interface GenerationIntervals {
  average_score: Interval | null;
}

/** How sure the averages of these rows of one inference cell are, as far as it is personas that differ. */
export function inferenceIntervals(rows: readonly ScoreRow[], resampling: Resampling): InferenceIntervals {
  const resampled = resampledSums(countedInference(rows), inferenceAdding, resampling);
  return {
    precision: intervalOf(resampled, (sums) => matchScores(sums).precision),
    recall: intervalOf(resampled, (sums) => matchScores(sums).recall),
    f1: intervalOf(resampled, (sums) => matchScores(sums).f1),
    macro_f1: intervalOf(resampled, ({ f1, n_instances }) => f1 / n_instances),
  };
}

/** The same for rows of one generation cell. */
export function generationIntervals(rows: readonly ScoreRow[], resampling: Resampling): GenerationIntervals {
  const resampled = resampledSums(countedGeneration(rows), generationAdding, resampling);
  return { average_score: intervalOf(resampled, ({ score, n_instances }) => score / n_instances) };
}
