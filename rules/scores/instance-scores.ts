import type { MatchLabel } from '../../schemas/matching/match-label';
import { computeMatchScores, type MatchScores, type MatchSums } from './match-scores';

/** Contribution of a checklist entry to the matched ones (paper, 2.3). */
const LABEL_SCORES: Readonly<Record<MatchLabel, number>> = {
  'Fully Covered': 1,
  'Partially Covered': 0.5,
  'Not Covered': 0,
};

/** The generation score of a model for which the history was too long. */
export const CONTEXT_LENGTH_SCORE = 0;

/** The size of a checklist, and the labels that matching gave its entries. */
export interface MatchedChecklist {
  size: number;
  labels: readonly MatchLabel[];
}

/** The numbers of one instance in one inference cell, named as their columns. */
type InferenceScores = MatchSums & MatchScores;

/** Computes precision, recall and F1 of one instance, with the sums behind them (paper, 2.3). */
export function computeInferenceScores(inferred: MatchedChecklist, truth: MatchedChecklist): InferenceScores {
  const sums: MatchSums = {
    n_predicted: inferred.size,
    n_predicted_matched: sumLabels(inferred.labels),
    n_true: truth.size,
    n_true_matched: sumLabels(truth.labels),
  };
  return { ...sums, ...computeMatchScores(sums) };
}

/** Returns the numbers of an instance whose history was too long for the model under test: nothing inferred, nothing matched. */
export function buildContextLengthScores(trueSize: number): InferenceScores {
  return computeInferenceScores({ size: 0, labels: [] }, { size: trueSize, labels: [] });
}

/** Returns the sum of the labels' scores: 1, 0.5 or 0 each. */
export function sumLabels(labels: readonly MatchLabel[]): number {
  return labels.reduce((sum, label) => sum + LABEL_SCORES[label], 0);
}
