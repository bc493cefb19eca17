import { buildEvaluationRow, getScoreRow } from '../../../../rules/trials/rows';
import type { Outcome } from '../../../../rules/trials/outcomes';
import type { Cell, EvaluationRow } from '../../../../schemas/evaluation/evaluation';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import { buildInstance, buildSession } from '../examples';
import { buildGenerationCell, buildInferenceCell } from './cells';

const INFERENCE = buildInferenceCell({
  by: 'openai:matcher',
  decomposer: 'openai:splitter',
  form: 'prefmatcher',
});
const GENERATION = buildGenerationCell({ context: 'preference' });
const INPUTS = {
  models: ['openai:one'],
  evaluators: ['openai:splitter', 'openai:matcher', 'openai:judge'],
  settings: evaluationSettingsSchema.parse({}),
  data: { argument: 'data', source: 'data', files: [], sha256: '', instances: 1 },
};
const INSTANCE = buildInstance({
  current_checklist: ['Is it short?', 'Is it kind?', 'Is it late?'],
  prior_interactions: [buildSession('The bakery', 'Short.')],
});

function rowOf(cell: Cell, outcome: Outcome, inputs = INPUTS): EvaluationRow {
  return buildEvaluationRow(inputs, cell, { instance: INSTANCE, priorTokens: 9, synthesizer: null }, outcome);
}

const NUMBERS = [
  'n_predicted',
  'n_predicted_matched',
  'n_true',
  'n_true_matched',
  'precision',
  'recall',
  'f1',
  'score',
] as const;
const numbersIn = (row: EvaluationRow) => NUMBERS.map((name) => row[name]);

const NONE = [null, null, null, null, null, null, null, null];

test('a scored inference has its numbers from the labels, and the texts that they can be recomputed from', () => {
  const row = rowOf(INFERENCE, {
    task: 'inference',
    state: 'scored',
    answeredBy: ['b', 'a', 'b'],
    preference: 'Be short and kind.',
    checklist: ['Short?', 'Kind?'],
    labels: {
      inferred: ['Fully Covered', 'Partially Covered'],
      truth: ['Fully Covered', 'Partially Covered', 'Not Covered'],
    },
  });
  expect(numbersIn(row)).toEqual([2, 1.5, 3, 1.5, 0.75, 0.5, 0.6, null]);
  expect(row).toMatchObject({
    evaluator: 'openai:matcher',
    evaluator_form: 'prefmatcher',
    decomposer: 'openai:splitter',
    inferred_words: 4,
    inferred_checklist: ['Short?', 'Kind?'],
    true_checklist: INSTANCE.current_checklist,
    answered_by: ['a', 'b'],
    relevant_position: 1,
    response: null,
    simulated: false,
  });
});

test('too long a history counts: nothing inferred and nothing matched, or score 0', () => {
  const missing = { step: 'infer' as const, kind: 'context-length', cause: 'Too long.' };
  const inferred = rowOf(INFERENCE, { task: 'inference', state: 'context-length', missing, answeredBy: [] });
  expect(numbersIn(inferred)).toEqual([0, 0, 3, 0, 0, 0, 0, null]);
  const answered = rowOf(GENERATION, {
    task: 'generation',
    state: 'context-length',
    missing,
    answeredBy: [],
  });
  expect(numbersIn(answered)).toEqual([...NONE.slice(1), 0]);
});

test('a missing score is empty, never 0; where only matching failed, both lists keep their sizes', () => {
  const missing = { step: 'decompose' as const, kind: 'bad-answers', cause: 'No list.' };
  const outcome = {
    task: 'inference',
    state: 'missing',
    missing,
    answeredBy: [],
    preference: 'Be short.',
  } as const;
  const row = rowOf(INFERENCE, outcome);
  expect(numbersIn(row)).toEqual(NONE);
  expect(row).toMatchObject({
    missing_step: 'decompose',
    missing_kind: 'bad-answers',
    missing_cause: 'No list.',
    inferred_preference: 'Be short.',
    inferred_checklist: null,
  });
  expect(numbersIn(rowOf(INFERENCE, { ...outcome, checklist: ['Short?'] }))).toEqual([
    1,
    null,
    3,
    ...NONE.slice(3),
  ]);
  const judged = rowOf(GENERATION, {
    task: 'generation',
    state: 'missing',
    missing,
    answeredBy: [],
    response: 'Here.',
  });
  expect(numbersIn(judged)).toEqual(NONE);
  expect(judged).toMatchObject({
    response: 'Here.',
    response_tokens: 2,
    evaluator_form: 'judge',
    decomposer: null,
  });
});

test('what is still open has neither numbers nor a reason', () => {
  const row = rowOf(INFERENCE, { task: 'inference', state: 'open', answeredBy: [] });
  expect(numbersIn(row)).toEqual(NONE);
  expect(row).toMatchObject({ state: 'open', missing_step: null, missing_kind: null, missing_cause: null });
});

test('models of one name are distinguished by all of their SPEC', () => {
  const [near, far] = ['openai-compatible:m@http://near:1/v1', 'openai-compatible:m@http://far:1/v1'];
  const inputs = { ...INPUTS, models: [near, far] };
  const of = (model: string) =>
    rowOf({ ...GENERATION, model }, { task: 'generation', state: 'open', answeredBy: [] }, inputs).model;
  expect(of(near)).not.toBe(of(far));
});

test('a row with a simulated model says so; the numbers alone are what is kept in memory', () => {
  const cell: Cell = { ...GENERATION, judge: 'simulated:default' };
  const inputs = { ...INPUTS, evaluators: ['simulated:default'] };
  const row = rowOf(
    cell,
    { task: 'generation', state: 'scored', answeredBy: [], response: 'Here.', score: 7, analysis: 'So.' },
    inputs,
  );
  expect(row.simulated).toBe(true);
  const { score } = getScoreRow(row);
  expect(score).toBe(7);
  expect(getScoreRow(row)).not.toHaveProperty('response');
});
