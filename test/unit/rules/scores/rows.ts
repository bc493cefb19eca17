import * as fc from 'fast-check';
import { MATCH_LABELS, type MatchLabel, type ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import { buildContextLengthScores, computeInferenceScores } from '../../../../rules/scores/instance-scores';

/** A row of a cell that nothing was evaluated of; the given fields stand above it. */
export function inferenceRow(given: Partial<ScoreRow> = {}): ScoreRow {
  return {
    persona_id: '1+baker',
    instance_type: 'consistent',
    task: 'inference',
    model: 'openai:one',
    context: 'full',
    evaluator: 'openai:evaluator',
    evaluator_form: 'evaluator',
    decomposer: 'openai:decomposer',
    state: 'open',
    missing_step: null,
    missing_kind: null,
    inferred_words: null,
    n_predicted: null,
    n_predicted_matched: null,
    n_true: null,
    n_true_matched: null,
    inferred_labels: null,
    true_labels: null,
    precision: null,
    recall: null,
    f1: null,
    score: null,
    response_tokens: null,
    relevant_position: null,
    prior_tokens: 8000,
    prior_sessions: 8,
    synthesizer: null,
    ...given,
  };
}

/** The same of generation. */
export function generationRow(given: Partial<ScoreRow> = {}): ScoreRow {
  return inferenceRow({ task: 'generation', evaluator_form: 'judge', decomposer: null, ...given });
}

/** F, P and N for the three labels. */
export function labels(text: string): MatchLabel[] {
  return text.split('').map((letter) => {
    const label = MATCH_LABELS.find((name) => name.startsWith(letter));
    if (label === undefined) throw new Error(`No label begins with ${letter}.`);
    return label;
  });
}

/** A scored inference row whose checklists were matched with these labels. */
export function matchedRow(inferred: string, truth: string, given: Partial<ScoreRow> = {}): ScoreRow {
  return inferenceRow({
    state: 'scored',
    ...computeInferenceScores(
      { size: inferred.length, labels: labels(inferred) },
      { size: truth.length, labels: labels(truth) },
    ),
    ...given,
  });
}

/** An inference row whose history was too long. */
export function tooLongRow(trueSize: number, given: Partial<ScoreRow> = {}): ScoreRow {
  return inferenceRow({ state: 'context-length', ...buildContextLengthScores(trueSize), ...given });
}

/** A row that has no score. */
export function missingRow(step: ScoreRow['missing_step'], given: Partial<ScoreRow> = {}): ScoreRow {
  return inferenceRow({ state: 'missing', missing_step: step, missing_kind: 'bad-answers', ...given });
}

/** A generation row that was judged. */
export function judgedRow(score: number, given: Partial<ScoreRow> = {}): ScoreRow {
  return generationRow({ state: 'scored', score, ...given });
}

export const letters = (least: number) =>
  fc.array(fc.constantFrom('F', 'P', 'N'), { minLength: least, maxLength: 6 }).map((drawn) => drawn.join(''));

const key = fc.record({
  persona_id: fc.nat({ max: 5 }).map((number) => `${number}+baker`),
  instance_type: fc.constantFrom(...INSTANCE_TYPES),
  model: fc.constantFrom('openai:one', 'together:two'),
});

const row = key.chain((instance) =>
  fc.oneof(
    fc.tuple(letters(0), letters(1)).map(([inferred, truth]) => matchedRow(inferred, truth, instance)),
    fc.integer({ min: 1, max: 10 }).map((score) => judgedRow(score, instance)),
    fc.integer({ min: 1, max: 6 }).map((size) => tooLongRow(size, instance)),
    fc.constant(generationRow({ state: 'context-length', score: 0, ...instance })),
    fc
      .constantFrom('infer' as const, 'decompose' as const, 'match' as const)
      .map((step) => missingRow(step, { n_predicted: 2, n_true: 3, ...instance })),
    fc.constant(generationRow({ ...missingRow('judge'), ...generationRow(), state: 'missing', ...instance })),
    fc.constant(inferenceRow(instance)),
  ),
);

/** Rows of two models in both tasks, in all states; each key once. */
export const someRows = fc.uniqueArray(row, {
  maxLength: 40,
  selector: ({ persona_id, instance_type, model, task }) =>
    JSON.stringify([persona_id, instance_type, model, task]),
});
