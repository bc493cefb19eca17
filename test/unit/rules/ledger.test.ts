import { LedgerTally, mergeLedgers, settledLedgers, totalsOf } from '../../../rules/ledger';
import type { JournalEntry } from '../../../schemas/journal';
import type { LedgerLine, LedgerRow } from '../../../schemas/ledger';
import type { Step } from '../../../schemas/step';
import type { Usage } from '../../../schemas/usage';

const ESTIMATE = { input: 100, output: 10 };

function sent(call: number, key: string, step: Step = 'user', spec = 'openai:gpt-4o'): LedgerLine {
  return { event: 'sent', at: 1, call, key, spec, step, estimate: ESTIMATE };
}

function answered(call: number, usage: Usage, verdict: 'good' | 'bad' | 'refused' = 'good'): LedgerLine {
  return { event: 'answered', call, verdict, usage, milliseconds: 5 };
}

function failed(call: number, kind: string): LedgerLine {
  return { event: 'failed', call, kind };
}

function entry(key: string, usage: Usage, finish: 'complete' | 'refused' = 'complete'): JournalEntry {
  return {
    key,
    request: 'r',
    settings: '',
    spec: 'openai:gpt-4o',
    answer: { text: 'x', finish, model: 'm', usage },
    milliseconds: 7,
  };
}

const EMPTY: LedgerRow = {
  spec: 'openai:gpt-4o',
  step: 'user',
  calls: 0,
  bad: 0,
  refused: 0,
  input: 0,
  output: 0,
  uncounted: 0,
  lost: 0,
  assumed: { input: 0, output: 0 },
  failed: {},
  milliseconds: 0,
};

function rowsOf(lines: LedgerLine[]) {
  const tally = new LedgerTally();
  for (const line of lines) tally.add(line);
  return tally.rows();
}

/** Settles ledgers over a journal, and tells which keys were looked up. */
async function settle(
  workers: Record<string, LedgerLine[]>,
  { journal = [], living = [] }: { journal?: JournalEntry[]; living?: string[] } = {},
) {
  const lookedUp: string[] = [];
  const ledgers = await settledLedgers(
    Object.entries(workers).map(([worker, lines]) => ({ worker, lines })),
    new Set(living),
    async (key) => {
      lookedUp.push(key);
      return journal.find((one) => one.key === key);
    },
  );
  return { rows: Object.fromEntries(ledgers.map(({ worker, rows }) => [worker, rows])), lookedUp };
}

test('answers count by model and step, bad and refused ones included; cached and reasoning tokens where reported', () => {
  const rows = rowsOf([
    sent(1, 'a'),
    sent(2, 'b'),
    answered(2, { input: 20, output: 2, cachedRead: 4 }, 'bad'),
    answered(1, { input: 10, output: 1 }),
    sent(3, 'c', 'assistant'),
    answered(3, { input: 5, output: 5, reasoning: 3 }, 'refused'),
  ]);
  expect(rows).toEqual([
    { ...EMPTY, step: 'assistant', calls: 1, refused: 1, input: 5, output: 5, reasoning: 3, milliseconds: 5 },
    { ...EMPTY, calls: 2, bad: 1, input: 30, output: 3, cachedRead: 4, milliseconds: 10 },
  ]);
});

test('what a provider does not report is assumed, side by side, and told to be uncounted', () => {
  expect(rowsOf([sent(1, 'a'), answered(1, { output: 3 }), sent(2, 'b'), answered(2, {})])).toEqual([
    { ...EMPTY, calls: 2, output: 3, uncounted: 2, assumed: { input: 200, output: 10 }, milliseconds: 10 },
  ]);
});

test('a call without an answer counts as failed by its kind; after a time-out it may be paid for all the same', () => {
  const lines = [
    sent(1, 'a'),
    failed(1, 'rate-limit'),
    sent(2, 'a'),
    failed(2, 'timeout'),
    sent(3, 'a'),
    failed(3, 'rate-limit'),
  ];
  expect(rowsOf(lines)).toEqual([
    { ...EMPTY, failed: { 'rate-limit': 2, timeout: 1 }, lost: 1, assumed: ESTIMATE },
  ]);
});

test('calls in flight stand in no row, and rows that were taken do not change with later lines', () => {
  const tally = new LedgerTally();
  tally.add(sent(1, 'a'));
  expect(tally.rows()).toEqual([]);
  expect([...tally.inFlight()].map(({ key }) => key)).toEqual(['a']);
  tally.add(answered(1, {}));
  const rows = tally.rows();
  tally.add(sent(2, 'b'));
  tally.add(answered(2, {}));
  expect(rows).toMatchObject([{ calls: 1, assumed: ESTIMATE }]);
});

test('a line about a call that was never sent is an error that names the worker and the call', async () => {
  await expect(settle({ w: [answered(4, {})] })).rejects.toThrow(/worker w .*call 4 .*ledger\//);
  await expect(settle({ w: [sent(4, 'a'), sent(4, 'b')] })).rejects.toThrow(/call 4 is both a and b/);
});

test('what a dead worker had in flight counts by its answer in the journal, and is lost without one', async () => {
  const { rows, lookedUp } = await settle(
    { dead: [sent(1, 'a'), sent(2, 'b'), sent(3, 'c'), answered(3, { input: 1, output: 1 })] },
    { journal: [entry('a', { input: 50, output: 5 }), entry('c', { input: 1, output: 1 })] },
  );
  expect(rows['dead']).toEqual([
    { ...EMPTY, calls: 2, input: 51, output: 6, lost: 1, assumed: ESTIMATE, milliseconds: 12 },
  ]);
  // Reading a ledger of 130,000 calls must not look up as many files.
  expect(lookedUp).toEqual(['b', 'a']);
});

test('a refusal that only the journal kept counts as refused, and one without token counts as uncounted', async () => {
  const { rows } = await settle({ dead: [sent(1, 'a')] }, { journal: [entry('a', {}, 'refused')] });
  expect(rows['dead']).toMatchObject([{ calls: 1, refused: 1, uncounted: 1, lost: 0, assumed: ESTIMATE }]);
});

test('a lost call that another worker asked again stays lost: the answer is the other one', async () => {
  const { rows } = await settle(
    { a: [sent(1, 'k')], b: [sent(1, 'k'), answered(1, { input: 9, output: 9 })] },
    { journal: [entry('k', { input: 9, output: 9 })] },
  );
  expect(rows['a']).toMatchObject([{ calls: 0, lost: 1, input: 0 }]);
  expect(rows['b']).toMatchObject([{ calls: 1, lost: 0, input: 9 }]);
});

test('the answer of a lost call is found wherever its line is: with a worker before or after, or in the same ledger', async () => {
  const usage = { input: 9, output: 9 };
  const journal = [entry('k', usage)];
  const other = [sent(1, 'x'), sent(2, 'k'), answered(2, usage), answered(1, usage)];
  const ledgers = [
    await settle({ a: other, dead: [sent(1, 'k')] }, { journal }),
    await settle({ dead: [sent(1, 'k')], z: other }, { journal, living: ['z'] }),
    await settle({ dead: [...other, sent(3, 'k')] }, { journal }),
  ];
  expect(ledgers.map(({ rows }) => rows['dead']?.[0]?.lost)).toEqual([1, 1, 1]);
  expect(ledgers.flatMap(({ lookedUp }) => lookedUp)).toEqual([]);
});

test('a line that is added while ledgers are read waits for the next time', async () => {
  const usage = { input: 9, output: 9 };
  const written = [sent(1, 'k')];
  const growing = {
    *[Symbol.iterator]() {
      yield* written;
      written.push(answered(1, usage));
    },
  };
  const answerOf = () => Promise.resolve(entry('k', usage));
  const [ledger] = await settledLedgers([{ worker: 'w', lines: growing }], new Set(), answerOf);
  expect(ledger?.rows).toMatchObject([{ calls: 1, lost: 0, input: 9 }]);
});

test('of two calls under one key that both lack a line, one has the answer and one is lost', async () => {
  const { rows } = await settle(
    { a: [sent(1, 'k')], b: [sent(1, 'k')] },
    { journal: [entry('k', { input: 9, output: 9 })] },
  );
  const merged = mergeLedgers([rows['a'] ?? [], rows['b'] ?? []]);
  expect(merged).toMatchObject([{ calls: 1, lost: 1, input: 9, assumed: ESTIMATE }]);
});

test('what a living worker has in flight is neither lost nor taken for the answer of a dead one', async () => {
  const { rows, lookedUp } = await settle(
    { alive: [sent(1, 'k')], dead: [sent(1, 'k')] },
    { journal: [entry('k', { input: 9, output: 9 })], living: ['alive'] },
  );
  expect(rows['alive']).toEqual([]);
  expect(rows['dead']).toMatchObject([{ calls: 0, lost: 1 }]);
  expect(lookedUp).toEqual([]);
});

test('merged ledgers have a row for each model and step, in the order of the steps, and leave theirs as they were', () => {
  const one = rowsOf([
    sent(1, 'a'),
    answered(1, { input: 1, output: 1 }),
    sent(2, 'b'),
    failed(2, 'timeout'),
  ]);
  const other = rowsOf([
    sent(1, 'a', 'describe', 'openai:z'),
    answered(1, {}),
    sent(2, 'b', 'judge', 'anthropic:c'),
    answered(2, {}),
    sent(3, 'c'),
    answered(3, { input: 2, output: 2, cachedWrite: 1 }),
    sent(4, 'd'),
    failed(4, 'connection'),
  ]);
  const before = JSON.stringify([one, other]);
  const merged = mergeLedgers([one, other, one]);
  expect(merged.map(({ spec, step }) => [spec, step])).toEqual([
    ['anthropic:c', 'judge'],
    ['openai:gpt-4o', 'user'],
    ['openai:z', 'describe'],
  ]);
  expect(merged[1]).toEqual({
    ...EMPTY,
    calls: 3,
    input: 4,
    output: 4,
    cachedWrite: 1,
    lost: 2,
    assumed: { input: 200, output: 20 },
    failed: { timeout: 2, connection: 1 },
    milliseconds: 15,
  });
  expect(JSON.stringify([one, other])).toBe(before);
  expect(totalsOf(merged)).toMatchObject({ calls: 5, input: 4, uncounted: 2, lost: 2 });
});
