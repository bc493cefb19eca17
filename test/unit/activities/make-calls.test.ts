import { EventEmitter, once } from 'node:events';
import { setImmediate as settled } from 'node:timers/promises';
import { makeCalls, Stopped } from '../../../activities/make-calls';
import { ask } from '../../../rules/method/ask';
import { all, type Call, type AttemptOutcome, type Script } from '../../../rules/method/script';
import { buildJournalKey } from '../../../engine/journal/key';

const GOOD: AttemptOutcome = { state: 'good' };
const BAD: AttemptOutcome = { state: 'bad' };
const call = (turn: number, workflowId = 'own'): Call => ({ workflowId, step: 'respond', turn, revision: 0 });

function* askInTurn(...calls: Call[]): Script<void> {
  for (const one of calls) yield* ask({ maxRepairs: 1, maxSamples: 2 }, one);
}

const isOwn = ({ workflowId }: Call) => workflowId === 'own';

/**
 * Makes calls, with outcomes or errors by attempt, such as `t1.a0`; all others are good. Returns the calls made, and the outcomes known
 * then.
 */
async function make(
  script: Script<unknown>,
  outcomes: Readonly<Record<string, AttemptOutcome | Error>>,
  options: Partial<Omit<Parameters<typeof makeCalls<Call>>[1], 'workflowId'>> = {},
) {
  const made: string[] = [];
  const known = Object.fromEntries(
    Object.entries(options.known ?? {}).map(([id, one]) => [`#r0.respond.${id}`, one]),
  );
  const ended = await makeCalls(script, { isOwn, ...options, workflowId: 'own', known }, async (attempt) => {
    const id = buildJournalKey({ ...attempt.call, attempt: attempt.number }).replace('own#r0.respond.', '');
    made.push(id);
    await Promise.resolve();
    const outcome = outcomes[id] ?? GOOD;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }).then(
    (returned) => Object.keys(returned).map((id) => id.replace('#r0.respond.', '')),
    (error: unknown) => error,
  );
  return { made, returned: ended };
}

afterEach(() => jest.restoreAllMocks());

const inTurn = () => askInTurn(call(1), call(2), call(3));
const sideBySide = () => all([1, 2, 3].map((turn) => askInTurn(call(turn), call(turn + 10))));

test.each<
  [string, () => Script<unknown>, Parameters<typeof make>[1], Parameters<typeof make>[2], readonly string[]]
>([
  ['makes calls as long as their answers are good', inTurn, {}, {}, ['t1.a0', 't2.a0', 't3.a0']],
  ['stops where an answer needs a repair', inTurn, { 't2.a0': BAD }, {}, ['t1.a0', 't2.a0']],
  ['stops where one is in doubt', inTurn, { 't1.a0': { state: 'doubtful' } }, {}, ['t1.a0']],
  ['stops where there is none', inTurn, { 't1.a0': { state: 'unanswered', kind: 'refused' } }, {}, ['t1.a0']],
  [
    'makes the repair that the workflow asks for',
    inTurn,
    {},
    { known: { 't1.a0': BAD } },
    ['t1.a1', 't2.a0', 't3.a0'],
  ],
  ['makes none whose outcome is known', inTurn, {}, { known: { 't1.a0': GOOD, 't2.a0': GOOD } }, ['t3.a0']],
  [
    'stops before the calls of other work',
    () => askInTurn(call(1), call(2, 'other'), call(3)),
    {},
    {},
    ['t1.a0'],
  ],
  ['makes one at least when time has passed', inTurn, {}, { aheadMs: -1 }, ['t1.a0']],
  [
    'side by side, goes on beside a repair',
    sideBySide,
    { 't2.a0': BAD },
    {},
    ['t1.a0', 't2.a0', 't3.a0', 't11.a0', 't13.a0'],
  ],
  ['stops where a call waits for its batch', inTurn, { 't2.a0': new Stopped() }, {}, ['t1.a0']],
])('%s', async (_, script, outcomes, options, expected) => {
  const { made, returned } = await make(script(), outcomes, options);
  expect(returned).toEqual(expected);
  expect(made.filter((id) => !(outcomes[id] instanceof Error))).toEqual(expected);
});

test('calls of parts of the work are made with it', async () => {
  const { returned } = await make(askInTurn(call(1), call(1, 'own/s2')), {}, { isOwn: () => true });
  expect(returned).toEqual(['t1.a0', '/s2t1.a0']);
});

test('a failure that may pass fails the activity, when the other calls have ended', async () => {
  const lost = new Error('no connection');
  const { made, returned } = await make(sideBySide(), { 't2.a0': lost });
  expect(returned).toBe(lost);
  expect(made).toEqual(['t1.a0', 't2.a0', 't3.a0', 't11.a0', 't13.a0']);
});

test('beside a call that is slow or retried, others go on when time has passed, and no longer', async () => {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const made: string[] = [];
  const answered = new EventEmitter();
  const script = all([askInTurn(call(1), call(2)), askInTurn(...[11, 12, 13, 14].map((turn) => call(turn)))]);
  await makeCalls(script, { workflowId: 'own', known: {}, aheadMs: 50 }, async ({ call: { turn } }) => {
    made.push(String(turn));
    if (turn === 1) await once(answered, 'slow');
    if (turn === 11) nowMs = 100;
    if (turn === 13) answered.emit('slow');
    if (turn !== 1) await settled();
    return GOOD;
  });
  expect(made).toEqual(['1', '11', '12', '13']);
});
