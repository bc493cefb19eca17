import * as fc from 'fast-check';
import type { ScoreRow } from '../../../../schemas/evaluation/evaluation';
import { MATCH_LABELS, type MatchLabel } from '../../../../schemas/matching/match-label';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import { buildContextLengthScores, computeInferenceScores } from '../../../../rules/scores/instance-scores';

/** Builds a row of a cell before its evaluation; given fields replace the defaults. */
export function buildInferenceRow(given: Partial<ScoreRow> = {}): ScoreRow {
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
    n_options: null,
    true_option: null,
    chosen_option: null,
    choice: null,
    response_tokens: null,
    memory_tokens: null,
    memory_add_ms: null,
    memory_query_ms: null,
    memory_unfinished_messages: null,
    memory_sessions: null,
    evidence_sessions: null,
    relevant_position: null,
    prior_tokens: 8000,
    n_prior_sessions: 8,
    synthesizer: null,
    ...given,
  };
}

/** Builds the same for generation. */
export function buildGenerationRow(given: Partial<ScoreRow> = {}): ScoreRow {
  return buildInferenceRow({ task: 'generation', evaluator_form: 'judge', decomposer: null, ...given });
}

/** Parses F, P and N as the three labels. */
export function parseLabels(text: string): MatchLabel[] {
  return text.split('').map((letter) => {
    const label = MATCH_LABELS.find((name) => name.startsWith(letter));
    if (label === undefined) throw new Error(`No label begins with ${letter}.`);
    return label;
  });
}

/** Builds a scored inference row whose checklists were matched with these labels. */
export function buildMatchedRow(inferred: string, truth: string, given: Partial<ScoreRow> = {}): ScoreRow {
  return buildInferenceRow({
    state: 'scored',
    ...computeInferenceScores(
      { size: inferred.length, labels: parseLabels(inferred) },
      { size: truth.length, labels: parseLabels(truth) },
    ),
    ...given,
  });
}

/** Builds an inference row with a history that was too long. */
export function buildTooLongRow(trueSize: number, given: Partial<ScoreRow> = {}): ScoreRow {
  return buildInferenceRow({ state: 'context-length', ...buildContextLengthScores(trueSize), ...given });
}

export function buildMissingRow(step: ScoreRow['missing_step'], given: Partial<ScoreRow> = {}): ScoreRow {
  return buildInferenceRow({ state: 'missing', missing_step: step, missing_kind: 'bad-answers', ...given });
}

export function buildJudgedRow(score: number, given: Partial<ScoreRow> = {}): ScoreRow {
  return buildGenerationRow({ state: 'scored', score, ...given });
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
    fc.tuple(letters(0), letters(1)).map(([inferred, truth]) => buildMatchedRow(inferred, truth, instance)),
    fc.integer({ min: 1, max: 10 }).map((score) => buildJudgedRow(score, instance)),
    fc.integer({ min: 1, max: 6 }).map((size) => buildTooLongRow(size, instance)),
    fc.constant(buildGenerationRow({ state: 'context-length', score: 0, ...instance })),
    fc
      .constantFrom('infer' as const, 'decompose' as const, 'match' as const)
      .map((step) => buildMissingRow(step, { n_predicted: 2, n_true: 3, ...instance })),
    fc.constant(
      buildGenerationRow({
        ...buildMissingRow('judge'),
        ...buildGenerationRow(),
        state: 'missing',
        ...instance,
      }),
    ),
    fc.constant(buildInferenceRow(instance)),
  ),
);

/** Rows of two models in both tasks, in all states, with unique keys. */
export const someRows = fc.uniqueArray(row, {
  maxLength: 40,
  selector: ({ persona_id, instance_type, model, task }) =>
    JSON.stringify([persona_id, instance_type, model, task]),
});
