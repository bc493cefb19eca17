import { ask } from '../../../../rules/method/ask';
import {
  explainFailure,
  listAccepted,
  openAnswers,
  readScript,
  type CallJudge,
  type RecordedCalls,
} from '../../../../rules/method/reader';
import { evaluateTrial } from '../../../../rules/method/trial';
import { all, type Call, type AttemptOutcome, type Script } from '../../../../rules/method/script';
import { evaluationStepsSchema } from '../../../../schemas/run/settings';
import { buildJournalEntry } from '../../../journal-entry';
import { BAD, GOOD, nameAttempt, REFUSED } from './follow';

const LIMITS = { maxRepairs: 1, maxSamples: 2 };
const call = (turn: number): Call => ({ workflowId: 'r', step: 'respond', turn, revision: 0 });

/** Values of the answers here; the problem of a bad one is its text. */
const OUTCOMES: Readonly<Record<string, AttemptOutcome>> = {
  good: GOOD,
  doubtful: { state: 'doubtful' },
  refused: REFUSED,
};

const judge: CallJudge<Call> = {
  judge: async (_, { answer: { text } }) => {
    const outcome = OUTCOMES[text] ?? BAD;
    return { outcome, ...(outcome === GOOD ? { value: text } : { problem: text }) };
  },
  isGiven: ({ turn }) => turn === 0,
  limitsOf: () => LIMITS,
};

/** Records calls by attempt: the texts of answers, and the notes of those without one. */
function record(
  texts: Readonly<Record<string, string>>,
  notes: Readonly<Record<string, { readonly kind: string; readonly cause: string }>> = {},
): RecordedCalls {
  return {
    find: async (key) => {
      const text = texts[key.replace('r#r0.respond.', '')];
      return text === undefined ? undefined : buildJournalEntry(key, { text });
    },
    findUnanswered: async (key) => notes[key.replace('r#r0.respond.', '')],
  };
}

function* askAll(...turns: number[]): Script<string[]> {
  const answers = yield* all(turns.map((turn) => ask(LIMITS, call(turn))));
  return answers.map(({ ref }) => ref);
}

async function read(script: Script<unknown>, recorded: RecordedCalls) {
  const reading = await readScript(script, judge, recorded);
  const { result, failures, attempts, next } = reading;
  return {
    result,
    failed: failures.map((failure) => `${nameAttempt(failure)} ${failure.kind}`),
    next: next.map(nameAttempt).toSorted(),
    attempts: attempts.map(({ attempt, outcome }) => `${nameAttempt(attempt)} ${outcome.state}`).toSorted(),
    explained: failures.map((failure) => explainFailure(failure, attempts)),
  };
}

const name = (attempt: string) => `#r0.respond.${attempt}`;

test('a script whose calls are answered ends with its result', async () => {
  const reading = await read(
    askAll(1, 2),
    record({ 't1.a0': 'good', 't2.a0': 'Too short.', 't2.a1': 'good' }),
  );
  expect(reading).toMatchObject({ result: ['0.0', '0.1'], failed: [], next: [] });
  expect(reading.attempts).toEqual([name('t1.a0 good'), name('t2.a0 bad'), name('t2.a1 good')]);
});

test('a call that the run was given the answer of needs none in the journal', async () => {
  expect(await read(askAll(0), record({}))).toMatchObject({ result: ['0.0'], next: [] });
});

test('calls without an answer come next, whatever became of those beside them', async () => {
  const recorded = record({ 't1.a0': 'refused', 't2.a0': 'Too short.', 't4.a0': 'good' });
  expect(await read(askAll(1, 2, 3, 4), recorded)).toMatchObject({
    result: undefined,
    failed: [name('t1.a0 refused')],
    next: [name('t2.a1'), name('t3.a0')],
  });
});

test('a call of an evaluation without an answer comes next: its score is not missing', async () => {
  const steps = evaluationStepsSchema.parse({});
  const plan = { run: 'r', models: ['m:1'], evaluators: ['e:1'], steps };
  const trial = { instance: 1, model: 1, context: 'full', inferences: [], judges: [1] } as const;
  const { result, next } = await read(evaluateTrial(plan, trial), record({}));
  expect({ result, next }).toEqual({ result: undefined, next: ['i1/m1/full#r0.judge.t1.a0'] });
});

const NOTE = { kind: 'context-length', cause: 'm exceeds 8192 tokens' };
const SKIPPED = 'the conversation with its corrections exceeds the context of the model';

test.each<[string, RecordedCalls, string, string, readonly string[]]>([
  [
    'bad answers',
    record({ 't1.a0': 'One.', 't1.a1': 'Two.', 't1.a2': 'Three.', 't1.a3': 'Four.' }),
    't1.a3 bad-answers',
    'No usable answer after 4 attempts; the last was: Four.',
    ['One.', 'Two.', 'Three.', 'Four.'],
  ],
  ['a refusal', record({ 't1.a0': 'One.', 't1.a1': 'refused' }), 't1.a1 refused', 'refused', ['One.']],
  ['an error', record({}, { 't1.a0': NOTE }), 't1.a0 context-length', NOTE.cause, []],
  [
    'bad answers, and a request too long by its corrections',
    record({ 't1.a0': 'One.', 't1.a2': 'Three.', 't1.a3': 'Four.' }, { 't1.a1': NOTE }),
    't1.a3 bad-answers',
    'No usable answer after 4 attempts; the last was: Four.',
    ['One.', SKIPPED, 'Three.', 'Four.'],
  ],
])('explains a failure: %s', async (_, recorded, failed, cause, reasons) => {
  const reading = await read(askAll(1), recorded);
  expect(reading.failed).toEqual([name(failed)]);
  expect(reading.explained).toEqual([{ cause, reasons }]);
});

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['was too long if the next sample follows', { 't1.a0': 'One.', 't1.a2': 'good' }, []],
  ['comes next if none follows', { 't1.a0': 'One.' }, ['t1.a1']],
  [
    'comes next if it begins its sample: nothing made it long',
    { 't1.a1': 'One.', 't1.a2': 'good' },
    ['t1.a0'],
  ],
])('an attempt without an answer and without a note %s', async (_, texts, next) => {
  const reading = await read(askAll(1), record(texts));
  expect(reading.next).toEqual(next.map(name));
  expect(reading.result).toEqual(next.length === 0 ? ['0.2'] : undefined);
});

test.each([
  ['the good one', ['One.', 'good'], ['t1.a1']],
  ['of two in doubt the last', ['doubtful', 'doubtful'], ['t1.a1']],
  ['one in doubt that only bad ones follow', ['doubtful', 'Two.', 'Three.', 'Four.'], ['t1.a0']],
  ['none of bad ones', ['One.', 'Two.', 'Three.', 'Four.'], []],
])('the answer that counts is %s', async (_, answers, expected) => {
  const texts = Object.fromEntries(answers.map((text, number) => [`t1.a${number}`, text]));
  const { attempts } = await readScript(askAll(1), judge, record(texts));
  expect(listAccepted(attempts).map(({ attempt }) => nameAttempt(attempt))).toEqual(expected.map(name));
});

test('a damaged answer is an error', async () => {
  const damaged = { ...record({}), find: async () => Promise.reject(new Error('it is empty')) };
  await expect(readScript(askAll(1, 2), judge, damaged)).rejects.toThrow('it is empty');
});

const takeAll = (value: string) => ({ ok: true as const, value });
const takeNone = () => ({ ok: false as const, reason: 'no score' });

test('an accepted answer is read once, by the check of its step', async () => {
  const found: string[] = [];
  const find = async (key: string) => {
    found.push(key);
    return buildJournalEntry(key, { text: 'Yes.', raw: '<think>No.</think>Yes.' });
  };
  const answers = openAnswers({ find });
  await expect(answers('k', takeNone)).rejects.toThrow('under k is rejected (no score)');
  expect(await answers('k', takeAll)).toEqual({ value: 'Yes.', text: 'Yes.' });
  expect(await answers('k', takeAll)).toEqual({ value: 'Yes.', text: 'Yes.' });
  expect(found).toEqual(['k', 'k']);
});

test('an accepted answer that is missing is an error', async () => {
  await expect(openAnswers(record({}))('k', takeAll)).rejects.toThrow('no answer under k');
});
