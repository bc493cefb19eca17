import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { type Interval, computeInterval, resampleSums, type Resampling } from './bootstrap';
import { listCountedGeneration, listCountedInference } from './counted-instances';
import { computeMatchScores } from './match-scores';
import { generationSumRule, inferenceSumRule } from './sums';

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
export function computeInferenceIntervals(
  rows: readonly ScoreRow[],
  resampling: Resampling,
): InferenceIntervals {
  const resampled = resampleSums(listCountedInference(rows), inferenceSumRule, resampling);
  return {
    precision: computeInterval(resampled, (sums) => computeMatchScores(sums).precision),
    recall: computeInterval(resampled, (sums) => computeMatchScores(sums).recall),
    f1: computeInterval(resampled, (sums) => computeMatchScores(sums).f1),
    macro_f1: computeInterval(resampled, ({ f1, n_instances }) => f1 / n_instances),
  };
}

/** The same for rows of one generation cell. */
export function computeGenerationIntervals(
  rows: readonly ScoreRow[],
  resampling: Resampling,
): GenerationIntervals {
  const resampled = resampleSums(listCountedGeneration(rows), generationSumRule, resampling);
  return { average_score: computeInterval(resampled, ({ score, n_instances }) => score / n_instances) };
}
