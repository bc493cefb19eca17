import { simulateDialogue } from '../../../../rules/method/dialogue';
import type { AttemptOutcome } from '../../../../rules/method/script';
import type { SynthesisCall } from '../../../../rules/method/synthesis-calls';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { BAD, follow, GOOD, REFUSED, RUN } from './follow';

const MODEL = 'simulated:default';
const SESSION = {
  persona: 7,
  session: 3,
  described: { first: 5, count: 4, ref: '0.0' },
  factors: '0.0',
  journey: ['0.1'],
  checklist: { index: 2, ref: '0.0' },
};

/** Follows a dialogue with these scores, turn by turn; the user selects only item 1. */
async function simulate(scores: readonly number[], outcomes: Readonly<Record<string, AttemptOutcome>> = {}) {
  const settings = synthesisSettingsSchema.parse({
    maxTurns: 5,
    stallTurns: 2,
    models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
  });
  const score = ({ step, turn }: SynthesisCall): AttemptOutcome =>
    step === 'user' ? { state: 'good', facts: { score: scores[turn - 1] ?? 0, selected: [1] } } : GOOD;
  const { made, ...followed } = await follow(
    simulateDialogue({ run: RUN, settings }, SESSION),
    outcomes,
    score,
  );
  return { ...followed, made: made.map((name) => name.replace(/^p7\/s3#r0\.(?<call>\w+)\.t/, '$<call> ')) };
}

const agree = (score: number): AttemptOutcome => ({ state: 'good', facts: { score, selected: [1] } });
const disagree = (score: number): AttemptOutcome => ({ ...agree(score), state: 'doubtful' });

test('a score of 10 ends it', async () => {
  const { result, made } = await simulate([4, 10]);
  expect(result).toEqual({
    turns: [
      ['0.0', '0.0'],
      ['0.0', '0.0'],
    ],
  });
  expect(made).toEqual(['assistant 1.a0', 'user 1.a0', 'assistant 2.a0', 'user 2.a0']);
});

test('so does the answer to the last of the messages, which is not judged', async () => {
  const { result, made } = await simulate([1, 2, 3, 4]);
  expect(result).toMatchObject({ turns: { length: 4 }, unjudged: '0.0' });
  expect(made.slice(-2)).toEqual(['user 4.a0', 'assistant 5.a0']);
});

test('so does the answer to a message with which the dialogue has stalled', async () => {
  const { result, made } = await simulate([6, 6, 5]);
  expect(result).toMatchObject({ turns: { length: 3 }, unjudged: '0.0' });
  expect(made.at(-1)).toBe('assistant 4.a0');
});

test.each([
  ['ends', 'it', [disagree(10), disagree(10)], 1, '0.1'],
  ['continues', 'it', [disagree(4), disagree(4)], 2, '0.1'],
  ['ends', 'it once it agrees', [disagree(4), agree(10)], 1, '0.1'],
])('a score %s %s where END or CONTINUE disagrees', async (_, __, [first, second], turns, ref) => {
  const { result } = await simulate([0, 10], {
    'p7/s3#r0.user.t1.a0': first ?? BAD,
    'p7/s3#r0.user.t1.a1': second ?? BAD,
  });
  expect(result).toMatchObject({ turns: { length: turns, 0: ['0.0', ref] } });
});

test('each call is built from the answers that count', async () => {
  const { calls } = await simulate([3, 10], {
    'p7/s3#r0.assistant.t1.a0': BAD,
    'p7/s3#r0.assistant.t2.a0': BAD,
    'p7/s3#r0.user.t1.a0': BAD,
  });
  expect(calls.at(-1)).toEqual({
    ...SESSION,
    workflowId: 'r/p7/s3',
    step: 'user',
    turn: 2,
    revision: 0,
    spec: MODEL,
    turns: [['0.1', '0.1']],
    answer: '0.1',
  });
});

test('a call without a usable answer ends it', async () => {
  const { failed, made } = await simulate([3, 4], { 'p7/s3#r0.assistant.t2.a0': REFUSED });
  expect(failed).toEqual(['p7/s3#r0.assistant.t2.a0 refused']);
  expect(made.at(-1)).toBe('assistant 2.a0');
});
