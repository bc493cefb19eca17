import {
  buildAnsweredLine,
  LedgerTally,
  mergeLedgers,
  settleLedgers,
  computeTotals,
} from '../../../../engine/costs/ledger';
import type { JournalEntry } from '../../../../schemas/run/journal';
import type { LedgerLine, LedgerRow } from '../../../../schemas/run/ledger';
import type { Usage } from '../../../../schemas/model/usage';
import { buildJournalEntry } from '../../../journal-entry';

const ESTIMATE = { input: 100, output: 10 };
const CALL = { spec: 'openai:gpt-4o', step: 'user', estimate: ESTIMATE } as const;
const EMPTY = { ...computeTotals([]), spec: CALL.spec, step: CALL.step } satisfies LedgerRow;
const USAGE = { input: 9, output: 9 };

type Sent = Extract<LedgerLine, { event: 'sent' }>;

function sent(call: number, key: string, own: Partial<Sent> = {}): Sent {
  return { event: 'sent', sentAtMs: 1, call, key, ...CALL, ...own };
}

function answered(call: number, usage: Usage, verdict: 'good' | 'bad' | 'refused' = 'good'): LedgerLine {
  return { event: 'answered', call, verdict, usage, durationMs: 5 };
}

function failed(call: number, kind: string, usage?: Usage): LedgerLine {
  return { event: 'failed', call, kind, ...(usage === undefined ? {} : { usage }) };
}

function entry(ledgerCall: string, key: string, own: Partial<JournalEntry['answer']> = {}): JournalEntry {
  return { ...buildJournalEntry(key, { usage: USAGE, ...own }), ledgerCall };
}

function rowsOf(lines: LedgerLine[]) {
  const tally = new LedgerTally('w');
  for (const line of lines) tally.add(line);
  return tally.rows();
}

/** Settles ledgers with a journal, and lists the looked-up keys. */
async function settle(
  workers: Record<string, Iterable<LedgerLine>>,
  { journal = [], living = [] }: { journal?: JournalEntry[]; living?: string[] } = {},
) {
  const lookedUp: string[] = [];
  const ledgers = await settleLedgers(
    Object.entries(workers).map(([worker, lines]) => ({ worker, lines })),
    living,
    async (key) => {
      lookedUp.push(key);
      return journal.find((one) => one.key === key);
    },
  );
  return { rows: Object.fromEntries(ledgers.map(({ worker, rows }) => [worker, rows])), lookedUp };
}

test('answers from which something was cut off are counted', () => {
  const line = (own: Partial<JournalEntry['answer']>, step: 'user' | 'assistant' = 'user') =>
    buildAnsweredLine({ ...sent(1, 'a'), step }, buildJournalEntry('a', own), 'good');
  const thought = { text: 'Yes.', raw: '<think>Hm.</think>Yes.<|im_end|>' };
  expect(line(thought)).toMatchObject({ separated: true, trimmed: true });
  expect(line({ text: 'Yes.', raw: 'Yes.</s>' })).toMatchObject({ trimmed: true });
  expect(line({ text: '', raw: 'The user', finish: 'reasoning' })).toMatchObject({ separated: true });
  expect(line({ text: '### A\n<think>Hm.</think>\nYes.' })).toMatchObject({ separated: true });
  for (const kept of [
    line({ text: '### A\n<think>Hm.</think>\nYes.' }, 'assistant'),
    line({ raw: 'Yes.\u0000' }),
  ]) {
    expect(kept).not.toHaveProperty('separated');
    expect(kept).not.toHaveProperty('trimmed');
  }
  expect(rowsOf([sent(1, 'a'), line(thought), sent(2, 'b'), answered(2, USAGE)])).toMatchObject([
    { calls: 2, separatedAnswers: 1, trimmedAnswers: 1 },
  ]);
  expect(rowsOf([sent(1, 'a'), answered(1, USAGE)])[0]).not.toHaveProperty('separatedAnswers');
});

test('answers count by model, step and tier, bad and refused ones included; cached and reasoning tokens where reported', () => {
  const flex = sent(4, 'd', { tier: 'flex' });
  const rows = rowsOf([
    sent(1, 'a'),
    sent(2, 'b'),
    answered(2, { input: 20, output: 2, cachedRead: 4 }, 'bad'),
    answered(1, { input: 10, output: 1 }),
    sent(3, 'c', { step: 'assistant' }),
    answered(3, { input: 5, output: 5, reasoning: 3 }, 'refused'),
    flex,
    // Served by the standard tier, which an entry does not name.
    buildAnsweredLine(flex, entry('w/4', 'd'), 'good'),
  ]);
  expect(rows).toEqual([
    {
      ...EMPTY,
      step: 'assistant',
      calls: 1,
      refusals: 1,
      input: 5,
      output: 5,
      reasoning: 3,
      durationMs: 5,
    },
    { ...EMPTY, calls: 3, badAnswers: 1, input: 39, output: 12, cachedRead: 4, durationMs: 20 },
  ]);
});

test('what a provider does not report is assumed, and a call without an answer counts by its kind; after a time-out it may be paid for all the same', () => {
  const calls = [1, 2, 3, 4, 5].map((call) => sent(call, `${call}`));
  const ends = [
    answered(1, { output: 3 }),
    answered(2, {}),
    failed(3, 'rate-limit'),
    failed(4, 'rate-limit'),
  ];
  const counted = { calls: 2, output: 3, uncountedCalls: 2, failures: { 'rate-limit': 2 }, durationMs: 10 };
  expect(rowsOf([...calls, ...ends])).toEqual([
    { ...EMPTY, ...counted, assumedTokens: { input: 200, output: 10 } },
  ]);
  expect(rowsOf([sent(1, 'a'), failed(1, 'timeout')])).toEqual([
    { ...EMPTY, failures: { timeout: 1 }, lostCalls: 1, assumedTokens: ESTIMATE },
  ]);
});

test.each<[string, Usage | undefined, object]>([
  ['connection', undefined, { lostCalls: 0, assumedTokens: { input: 0, output: 0 } }],
  ['connection', {}, { lostCalls: 1, assumedTokens: ESTIMATE }],
  ['unavailable', USAGE, { lostCalls: 1, assumedTokens: USAGE }],
  ['window-exceeded', { input: 7, cachedRead: 5 }, { lostCalls: 1, assumedTokens: { input: 7, output: 10 } }],
])('a call that failed as %s with the usage %j is charged for it', (kind, usage, charged) => {
  expect(rowsOf([sent(1, 'a'), failed(1, kind, usage)])).toEqual([
    { ...EMPTY, failures: { [kind]: 1 }, ...charged },
  ]);
});

test('totals of models have what only some of them report, and nothing that none does', () => {
  const rows = rowsOf([
    sent(1, 'a'),
    answered(1, { input: 10, output: 1, cachedRead: 4 }),
    sent(2, 'b', { step: 'assistant' }),
    answered(2, { input: 20, output: 2, cachedRead: 5 }),
    sent(3, 'c', { step: 'checklist' }),
    answered(3, { input: 5, output: 5 }),
  ]);
  const totals = computeTotals(rows);
  expect(totals).toMatchObject({ calls: 3, input: 35, output: 8, cachedRead: 9 });
  expect(totals).not.toHaveProperty('reasoning');
});

test('calls in flight stand in no row, and rows that were taken do not change with later lines', () => {
  const tally = new LedgerTally('w');
  tally.add(sent(1, 'a'));
  expect(tally.rows()).toEqual([]);
  expect([...tally.inFlight()].map(({ key }) => key)).toEqual(['a']);
  tally.add(answered(1, {}));
  const rows = tally.rows();
  tally.add(sent(2, 'b'));
  tally.add(answered(2, {}));
  expect(rows).toMatchObject([{ calls: 1, assumedTokens: ESTIMATE }]);
});

test('a line about a call that was never sent is an error that names the worker and the call', async () => {
  await expect(settle({ w: [answered(4, {})] })).rejects.toThrow(/worker w .*call 4 .*ledger\//);
  await expect(settle({ w: [sent(4, 'a'), sent(4, 'b')] })).rejects.toThrow(/call 4 is both a and b/);
});

test('what a dead worker had in flight counts by its answer in the journal, a refusal too, and is lost without one', async () => {
  const { rows, lookedUp } = await settle(
    { dead: [sent(1, 'a'), sent(2, 'b'), sent(3, 'c'), answered(3, USAGE), sent(4, 'd')] },
    {
      journal: [
        entry('dead/1', 'a', { usage: { input: 50, output: 5 } }),
        entry('dead/3', 'c'),
        entry('dead/4', 'd', { usage: {}, finish: 'refused' }),
      ],
    },
  );
  const assumed = { input: 200, output: 20 };
  const counted = { calls: 3, refusals: 1, input: 59, output: 14, uncountedCalls: 1, durationMs: 25 };
  expect(rows['dead']).toEqual([{ ...EMPTY, ...counted, lostCalls: 1, assumedTokens: assumed }]);
  // Reading a ledger of 130,000 calls must not look up as many files.
  expect(lookedUp).toEqual(['a', 'b', 'd']);
});

test('what a batch has not answered yet is in flight, not lostCalls: it outlives the process that sent it', async () => {
  const lines = [sent(1, 'a', { tier: 'batch' }), sent(2, 'b', { tier: 'batch' })];
  const [ledger] = await settleLedgers([{ worker: 'run-b1', lines }], [], async (key) =>
    key === 'a' ? entry('run-b1/1', 'a', { tier: 'batch' }) : undefined,
  );
  expect(ledger).toMatchObject({
    rows: [{ tier: 'batch', calls: 1, lostCalls: 0 }],
    inFlight: [{ key: 'b' }],
  });
});

test('of the calls under one key, the one that the answer in the journal names has it, and the others are lost', async () => {
  const living = [sent(1, 'k'), sent(2, 'x'), answered(2, USAGE)];
  const dead = [sent(1, 'k'), failed(1, 'connection'), sent(2, 'k'), sent(3, 'k')];
  const journal = [entry('dead/2', 'k')];
  const { rows } = await settle({ dead, other: [sent(2, 'k')], living }, { journal, living: ['living'] });
  const failures = { connection: 1 };
  expect(rows['dead']).toMatchObject([
    { calls: 1, lostCalls: 1, input: 9, assumedTokens: ESTIMATE, failures: failures },
  ]);
  expect(rows['other']).toMatchObject([{ calls: 0, lostCalls: 1 }]);
  // Calls in flight of a living worker are not counted yet.
  expect(rows['living']).toMatchObject([{ calls: 1, lostCalls: 0 }]);
});

test('merged ledgers have a row for each model and step, in the order of the steps, and leave theirs as they were', () => {
  const one = rowsOf([sent(1, 'a'), answered(1, USAGE), sent(2, 'b'), failed(2, 'timeout')]);
  const other = rowsOf([
    sent(1, 'a', { step: 'describe', spec: 'openai:z' }),
    answered(1, {}),
    sent(2, 'b', { step: 'judge', spec: 'anthropic:c' }),
    answered(2, {}),
    sent(3, 'c'),
    answered(3, { ...USAGE, cachedWrite: 1 }),
    sent(4, 'd', { step: 'describe' }),
    failed(4, 'connection'),
  ]);
  const before = JSON.stringify([one, other]);
  const merged = mergeLedgers([one, other, one]);
  expect(merged.map(({ spec, step }) => [spec, step])).toEqual([
    ['anthropic:c', 'judge'],
    [CALL.spec, 'describe'],
    [CALL.spec, 'user'],
    ['openai:z', 'describe'],
  ]);
  const sums = { calls: 3, input: 27, output: 27, cachedWrite: 1, lostCalls: 2, durationMs: 15 };
  const assumedTokens = { input: 200, output: 20 };
  expect(merged[2]).toEqual({ ...EMPTY, ...sums, assumedTokens, failures: { timeout: 2 } });
  expect(JSON.stringify([one, other])).toBe(before);
  const all = { calls: 5, input: 27, uncountedCalls: 2, failures: { timeout: 2, connection: 1 } };
  expect(computeTotals(merged)).toMatchObject(all);
});
