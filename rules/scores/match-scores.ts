/** Entries of both checklists and the sums of their labels' scores, for one instance or many. */
export interface MatchSums {
  /** Entries of the inferred checklist. */
  n_predicted: number;
  n_predicted_matched: number;
  /** Entries of the true checklist. */
  n_true: number;
  n_true_matched: number;
}

/** From 0 to 1 each (paper, 2.3). */
export interface MatchScores {
  precision: number;
  recall: number;
  /** Harmonic mean of precision and recall. */
  f1: number;
}

/** Computes precision, recall and F1 of these sums. Each is 0 where its denominator is 0. */
export function computeMatchScores(sums: MatchSums): MatchScores {
  const precision = computeShare(sums.n_predicted_matched, sums.n_predicted);
  const recall = computeShare(sums.n_true_matched, sums.n_true);
  return { precision, recall, f1: computeShare(2 * precision * recall, precision + recall) };
}

function computeShare(part: number, total: number): number {
  return total === 0 ? 0 : part / total;
}
