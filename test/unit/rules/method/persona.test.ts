import type { DescriptionBatch } from '../../../../engine/journal/revisions';
import { describePersonas, synthesizePersona } from '../../../../rules/method/persona';
import type { AttemptOutcome } from '../../../../rules/method/script';
import type { SynthesisCall, SynthesisScriptPlan } from '../../../../rules/method/synthesis-calls';
import type { Restart } from '../../../../schemas/run/restart';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { BAD, follow, GOOD, REFUSED, RUN } from './follow';

const MODEL = 'simulated:default';
const OTHER = 'simulated:other';
const PERSONA = { persona: 7, described: { first: 5, count: 4, ref: '0.0' } };
const settings = synthesisSettingsSchema.parse({
  models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
});

/** Returns outcomes for four sessions about three preferences, whose dialogues end with the second turn. */
const usual = ({ step, turn }: SynthesisCall): AttemptOutcome => {
  if (step === 'journey') return { state: 'good', facts: { preferences: [1, 2, 1, 3] } };
  return step === 'user' ? { state: 'good', facts: { score: turn * 5, selected: [] } } : GOOD;
};

const synthesize = (outcomes: Readonly<Record<string, AttemptOutcome>> = {}, restarts?: readonly Restart[]) =>
  follow(synthesizePersona({ run: RUN, settings, restarts }, PERSONA), outcomes, usual);

const ENDED = [
  ['0.0', '0.0'],
  ['0.0', '0.0'],
];

test('factors, journey, a checklist for each preference, then a dialogue for each session but the last', async () => {
  const { result, made, calls } = await synthesize();
  expect(result).toEqual({
    ...PERSONA,
    factors: '0.0',
    journey: ['0.0'],
    checklists: ['0.0', '0.0', '0.0'],
    dialogues: [{ turns: ENDED }, { turns: ENDED }, { turns: ENDED }],
  });
  const plan = ['factors.t0', 'journey.t0', 'checklist.t1', 'checklist.t2', 'checklist.t3'];
  expect(made.slice(0, plan.length)).toEqual(plan.map((call) => `p7#r0.${call}.a0`));
  const dialogues = ['s1', 's2', 's3'].flatMap((session) =>
    ['assistant.t1', 'user.t1', 'assistant.t2', 'user.t2'].map((call) => `p7/${session}#r0.${call}.a0`),
  );
  expect(made.slice(plan.length).toSorted()).toEqual(dialogues.toSorted());
  const checklists = calls.flatMap((call) => (call.step === 'assistant' ? [call.checklist.index] : []));
  expect(checklists).toEqual([1, 2, 1, 1, 2, 1]);
});

test('calls are built from the answers that count', async () => {
  const { calls } = await synthesize({ 'p7#r0.factors.t0.a0': BAD, 'p7#r0.checklist.t2.a0': BAD });
  expect(calls.filter(({ step }) => step === 'journey')).toMatchObject([{ ...PERSONA, factors: '0.1' }]);
  const shown = { factors: '0.1', journey: ['0.0'], checklist: { index: 2, ref: '0.1' } };
  expect(calls.filter((call) => 'session' in call && call.session === 2)[0]).toMatchObject(shown);
});

test('restarts lead to other revisions and models, and to nothing else', async () => {
  const from = { persona: 7, revision: 2, session: 2, step: 'user' as const, turn: 1 };
  const { made, calls } = await synthesize({}, [{ ...from, model: { role: 'assistant', spec: OTHER } }]);
  const restarted = ['p7/s2#r2.user.t1.a0', 'p7/s2#r2.assistant.t2.a0', 'p7/s2#r2.user.t2.a0'];
  expect(made.filter((name) => !name.includes('#r0'))).toEqual(restarted);
  const changed = calls.filter(({ spec }) => spec !== MODEL);
  expect(changed.map(({ step, turn, revision }) => [step, turn, revision])).toEqual([['assistant', 2, 2]]);
});

test('all dialogues are followed to their ends when some fail', async () => {
  const { failed, made } = await synthesize({
    'p7/s1#r0.assistant.t1.a0': REFUSED,
    'p7/s3#r0.user.t2.a0': { state: 'unanswered', kind: 'context-length' },
  });
  expect(failed).toEqual(['p7/s1#r0.assistant.t1.a0 refused', 'p7/s3#r0.user.t2.a0 context-length']);
  expect(made.filter((name) => name.startsWith('p7/s2'))).toHaveLength(4);
});

/** Returns outcomes for parts of ten sessions, of which the third brings a new preference. */
const usualParts = (call: SynthesisCall): AttemptOutcome => {
  const preferences = Array.from({ length: 10 }, (_, at) => (call.turn === 3 ? 3 : 1 + (at % 2)));
  return call.step === 'journey' ? { state: 'good', facts: { preferences } } : usual(call);
};

describe('a long journey', () => {
  const long = { ...settings, nSessions: 30 };
  const plan = (outcomes: Readonly<Record<string, AttemptOutcome>>, restarts?: readonly Restart[]) =>
    follow(synthesizePersona({ run: RUN, settings: long, restarts }, PERSONA), outcomes, usualParts);

  test('is planned part by part, each with the answers of those before', async () => {
    const { result, calls } = await plan({ 'p7#r0.journey.t2.a0': BAD });
    expect(result).toMatchObject({ journey: ['0.0', '0.1', '0.0'], checklists: ['0.0', '0.0', '0.0'] });
    expect(result?.dialogues).toHaveLength(29);
    const parts = calls.flatMap((call) => (call.step === 'journey' ? [[call.turn, call.earlier]] : []));
    // The second part is repaired, and no other.
    expect(parts).toEqual([
      [1, []],
      [2, ['0.0']],
      [2, ['0.0']],
      [3, ['0.0', '0.1']],
    ]);
  });

  test('that failed in a part is continued there', async () => {
    const failing = { 'p7#r0.journey.t2.a0': REFUSED };
    expect((await plan(failing)).failed).toEqual(['p7#r0.journey.t2.a0 refused']);
    const { result, made } = await plan(failing, [{ persona: 7, step: 'journey', turn: 2, revision: 1 }]);
    expect(result?.journey).toEqual(['0.0', '1.0', '1.0']);
    expect(made.slice(1, 4)).toEqual(['p7#r0.journey.t1.a0', 'p7#r1.journey.t2.a0', 'p7#r1.journey.t3.a0']);
  });
});

test('no dialogue begins when a checklist fails, and the others are asked for', async () => {
  const { failed, made } = await synthesize({ 'p7#r0.checklist.t1.a0': REFUSED });
  expect(failed).toEqual(['p7#r0.checklist.t1.a0 refused']);
  expect(made.slice(2)).toEqual([1, 2, 3].map((turn) => `p7#r0.checklist.t${turn}.a0`));
});

describe('descriptions', () => {
  const restarts: Restart[] = [{ persona: 5, step: 'describe', turn: 0, revision: 1 }];
  const plan: SynthesisScriptPlan = { run: RUN, settings, restarts };

  test.each<[string, DescriptionBatch, string, string]>([
    ['a batch is asked for unchanged', { first: 5, count: 4 }, '#r0.describe.t5.a0', '0.0'],
    [
      'a persona that is described again has a batch of its own',
      { first: 5, count: 1, revision: 1 },
      '#r1.describe.t5.a0',
      '1.0',
    ],
  ])('%s', async (_, batch, name, ref) => {
    const { result, made } = await follow(describePersonas(plan, batch), {});
    expect(made).toEqual([name]);
    expect(result).toEqual({ first: 5, count: batch.count, ref });
  });
});
