import { makeCalls, Stopped } from '../../../activities/make-calls';
import { ask } from '../../../rules/method/ask';
import { all, type Attempt, type AttemptOutcome, type Call, type Script } from '../../../rules/method/script';
import { buildJournalKey } from '../../../engine/journal/key';

const GOOD: AttemptOutcome = { state: 'good' };
const BAD: AttemptOutcome = { state: 'bad' };
const call = (turn: number, workflowId = 'own'): Call => ({ workflowId, step: 'respond', turn, revision: 0 });

function* askInTurn(...calls: Call[]): Script<void> {
  for (const one of calls) yield* ask({ maxRepairs: 1, maxSamples: 2 }, one);
}

const chain = (first: number, length: number) =>
  askInTurn(...Array.from({ length }, (_, index) => call(first + index)));

const isOwn = ({ call: { workflowId } }: Attempt) => workflowId === 'own';

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

const inTurn = () => chain(1, 3);
const sideBySide = () => all([1, 2, 3].map((turn) => askInTurn(call(turn), call(turn + 10))));

test.each<
  [string, () => Script<unknown>, Parameters<typeof make>[1], Parameters<typeof make>[2], readonly string[]]
>([
  ['makes calls as long as their answers are good', inTurn, {}, {}, ['t1.a0', 't2.a0', 't3.a0']],
  ['repairs a bad answer', inTurn, { 't2.a0': BAD }, {}, ['t1.a0', 't2.a0', 't2.a1', 't3.a0']],
  [
    'asks once more where one is in doubt',
    inTurn,
    { 't1.a0': { state: 'doubtful' } },
    {},
    ['t1.a0', 't1.a1', 't2.a0', 't3.a0'],
  ],
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
    'stops where the attempts of others begin',
    inTurn,
    { 't2.a0': BAD },
    { isOwn: ({ number }) => number === 0 },
    ['t1.a0', 't2.a0'],
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

/** Follows a slow call beside quick ones in simulated time; returns what was made, with the second at which it began. */
async function makeBesideSlow(
  slowMs: Readonly<Record<string, number>>,
  outcomes: Readonly<Record<string, AttemptOutcome>>,
  script: Script<unknown>,
): Promise<string[]> {
  jest.useFakeTimers({ now: 0 });
  try {
    const made: string[] = [];
    const making = makeCalls(script, { workflowId: 'own', known: {} }, async ({ call: { turn }, number }) => {
      const id = `t${turn}.a${number}`;
      made.push(`${id} at ${performance.now() / 1_000}`);
      await new Promise((resolve) => setTimeout(resolve, slowMs[id] ?? 1_000));
      return outcomes[id] ?? GOOD;
    });
    await jest.runAllTimersAsync();
    await making;
    return made;
  } finally {
    jest.useRealTimers();
  }
}

test('beside a call of 20 s, a bad answer is repaired and what depends on it is requested at once', async () => {
  const made = await makeBesideSlow({ 't1.a0': 20_000 }, { 't12.a0': BAD }, all([chain(1, 1), chain(11, 3)]));
  expect(made).toEqual(['t1.a0 at 0', 't11.a0 at 0', 't12.a0 at 1', 't12.a1 at 2', 't13.a0 at 3']);
});

test('beside a slow call, others go on when time has passed, and no longer', async () => {
  const made = await makeBesideSlow({ 't1.a0': 20_000 }, {}, all([chain(1, 2), chain(11, 30)]));
  expect(made).toHaveLength(1 + 20);
  expect(made.at(-1)).toBe('t30.a0 at 19');
});

test('slow calls side by side begin none after half an hour: an activity has an hour', async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  const slow = Object.fromEntries(
    numbers.flatMap((n) => [
      [`t${n}.a0`, 61_000],
      [`t${100 + n}.a0`, 61_000],
    ]),
  );
  const made = await makeBesideSlow({ ...slow, 't100.a0': 20_000 }, {}, all([chain(0, 40), chain(100, 40)]));
  expect(made.at(-1)).toBe('t130.a0 at 1789');
});

test('the same beside one that was begun after that time', async () => {
  const slow = { 't1.a0': 30_000, 't215.a0': 60_000 };
  const made = await makeBesideSlow(slow, {}, all([chain(1, 2), chain(101, 90), chain(200, 20)]));
  expect(made).toContain('t2.a0 at 30');
  expect(made.at(-1)).toBe('t175.a0 at 74');
});
