import {
  ANSWER_CHANGED,
  IRREGULAR_FILE,
  isMisconfigured,
  JOURNAL_DAMAGED,
} from '../../../../engine/journal/failed-work';
import { MODEL_ERROR_KINDS } from '../../../../schemas/model/error-kind';
import { OPEN } from '../../../../rules/method/evaluation-calls';
import { ask } from '../../../../rules/method/ask';
import type { AttemptOutcome } from '../../../../rules/method/script';
import { BAD, follow, GOOD, REFUSED } from './follow';

const CALL = { workflowId: 'r/p1', step: 'factors', turn: 0, revision: 2 } as const;
const DOUBTFUL: AttemptOutcome = { state: 'doubtful' };
const USED_UP: AttemptOutcome = { state: 'bad', cause: 'reasoning' };
const TOO_LONG: AttemptOutcome = { state: 'unanswered', kind: 'context-length' };
const WINDOW: AttemptOutcome = { state: 'unanswered', kind: 'window-exceeded' };

// Two samples with at most three attempts each: 0 to 2, and 3 to 5.
test.each<[string, readonly AttemptOutcome[], string]>([
  ['a good answer ends it', [GOOD], '2.0'],
  ['a bad answer is asked for again', [BAD, BAD, GOOD], '2.2'],
  ['a new sample follows the last bad answer of one', [BAD, BAD, BAD, GOOD], '2.3'],
  ['no answer is good', [BAD, BAD, BAD, BAD, BAD, BAD], 'bad-answers a5'],
  ['a doubtful answer is asked for once more, and its doubt stands', [DOUBTFUL, DOUBTFUL], '2.1'],
  ['a good answer resolves the doubt', [DOUBTFUL, GOOD], '2.1'],
  ['a good answer resolves the doubt, also after a bad one', [DOUBTFUL, BAD, GOOD], '2.2'],
  ['a doubtful answer stands when all after it are bad', [BAD, DOUBTFUL, BAD, BAD, BAD, BAD], '2.1'],
  ['a refusal ends it', [REFUSED], 'refused a0'],
  ['a doubtful answer stands when the model refuses to give a better one', [DOUBTFUL, REFUSED], '2.0'],
  ['so it does after a bad one', [DOUBTFUL, BAD, REFUSED], '2.0'],
  ['so it does when the next sample is too long', [DOUBTFUL, BAD, BAD, TOO_LONG], '2.0'],
  ['an error that is none of the answer ends it', [BAD, { state: 'unanswered', kind: 'auth' }], 'auth a1'],
  ['the bare request is too long', [TOO_LONG], 'context-length a0'],
  ['the bare request is too long in a new sample, too', [BAD, BAD, BAD, TOO_LONG], 'context-length a3'],
  ['a request too long by its corrections gives way to the next sample', [BAD, TOO_LONG, GOOD], '2.3'],
  ['so does one that exceeds the window', [BAD, BAD, WINDOW, GOOD], '2.3'],
  ['no sample is left after it', [BAD, TOO_LONG, BAD, TOO_LONG], 'bad-answers a4'],
  ['reasoning used up one limit', [USED_UP, GOOD], '2.1'],
  ['reasoning used up two, of which the second was raised', [USED_UP, USED_UP], 'bad-answers a1'],
  ['so it did in two samples', [USED_UP, BAD, BAD, USED_UP], 'bad-answers a3'],
  ['so it did after a usable answer', [DOUBTFUL, USED_UP, USED_UP], '2.0'],
])('%s', async (_, outcomes, expected) => {
  // Outcomes are used in order, whichever attempt they answer.
  const left = [...outcomes];
  const { result, failed = [] } = await follow(
    ask({ maxRepairs: 2, maxSamples: 2 }, CALL),
    {},
    () => left.shift() ?? REFUSED,
  );
  expect(result?.ref ?? failed.join().replace(/^.*(?<ask>a\d) (?<kind>.*)$/, '$<kind> $<ask>')).toBe(
    expected,
  );
  expect(left).toEqual([]);
});

test.each([...MODEL_ERROR_KINDS, 'memory-set-up', 'journal-mismatch', IRREGULAR_FILE])(
  'after a doubtful answer, only a misconfiguration fails the call: %s',
  async (kind) => {
    const { result } = await follow(
      ask({ maxRepairs: 0, maxSamples: 2 }, CALL),
      { 'p1#r2.factors.t0.a0': DOUBTFUL },
      () => ({ state: 'unanswered', kind }),
    );
    expect(result?.ref).toBe(isMisconfigured({ kind }) ? undefined : '2.0');
  },
);

test.each([JOURNAL_DAMAGED, ANSWER_CHANGED, 'unrecorded', OPEN, 'unexpected'])(
  'a doubtful answer does not stand while a better one may be stored or follow: %s',
  async (kind) => {
    const { failed } = await follow(
      ask({ maxRepairs: 2, maxSamples: 2 }, CALL),
      { 'p1#r2.factors.t0.a0': DOUBTFUL },
      () => ({ state: 'unanswered', kind }),
    );
    expect(failed).toEqual([`p1#r2.factors.t0.a1 ${kind}`]);
  },
);

test('an outcome without the facts of its step is an error: outcomes come from other processes', async () => {
  const journey = { ...CALL, step: 'journey' } as const;
  const asking = follow(ask({ maxRepairs: 2, maxSamples: 2 }, journey), {});
  await expect(asking).rejects.toThrow('An outcome of step journey lacks its facts.');
});
