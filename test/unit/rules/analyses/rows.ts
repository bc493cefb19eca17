import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { buildGenerationRow, buildInferenceRow } from '../scores/rows';

const SCORED = {
  model: 'simulated:a',
  evaluator: 'simulated:judge',
  state: 'scored',
  relevant_position: 4.5,
  synthesizer: 'simulated:maker',
} as const;

/** Averages of a group of rows without any score. */
export const NO_AVERAGES = {
  precision: null,
  recall: null,
  f1: null,
  macro_f1: null,
  average_score: null,
  accuracy: null,
  paired_accuracy: null,
} as const;

/** Builds a scored inference, with half of everything matched by default. */
export function buildInference(given: Partial<ScoreRow> = {}): ScoreRow {
  return buildInferenceRow({
    ...SCORED,
    decomposer: 'simulated:judge',
    inferred_words: 20,
    n_predicted: 2,
    n_predicted_matched: 1,
    n_true: 2,
    n_true_matched: 1,
    inferred_labels: ['Fully Covered', 'Not Covered'],
    true_labels: ['Fully Covered', 'Not Covered'],
    precision: 0.5,
    recall: 0.5,
    f1: 0.5,
    ...given,
  });
}

/** Builds an inference with as many entries on both sides; all its numbers are this F1. */
export function buildInferenceOf(f1: number, given: Partial<ScoreRow> = {}): ScoreRow {
  return buildInference({
    n_predicted: 10,
    n_predicted_matched: 10 * f1,
    n_true: 10,
    n_true_matched: 10 * f1,
    precision: f1,
    recall: f1,
    f1,
    ...given,
  });
}

export function buildGeneration(score: number, given: Partial<ScoreRow> = {}): ScoreRow {
  return buildGenerationRow({ ...SCORED, score, response_tokens: 100, ...given });
}

const NO_NUMBERS = {
  inferred_labels: null,
  true_labels: null,
  n_predicted: null,
  n_predicted_matched: null,
  n_true: null,
  n_true_matched: null,
  precision: null,
  recall: null,
  f1: null,
  score: null,
} as const;

export function markMissing(row: ScoreRow): ScoreRow {
  return { ...row, ...NO_NUMBERS, state: 'missing', missing_step: 'match', missing_kind: 'bad-answers' };
}

/** Returns the row before its evaluation. */
export function open(row: ScoreRow): ScoreRow {
  return { ...row, ...NO_NUMBERS, state: 'open', inferred_words: null };
}

/** Returns the row with a history that is too long for the model. */
export function markTooLong(row: ScoreRow): ScoreRow {
  const zero = { n_predicted: 0, n_predicted_matched: 0, n_true_matched: 0, precision: 0, recall: 0, f1: 0 };
  const numbers = row.task === 'generation' ? { score: 0 } : { ...zero, n_true: row.n_true };
  return { ...row, ...NO_NUMBERS, ...numbers, state: 'context-length', inferred_words: null };
}
