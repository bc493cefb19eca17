import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countCosts } from '../../../../../activities/synthesis/records/count-costs';
import { openJournal } from '../../../../../data/run/journal';
import { openLedger } from '../../../../../data/run/ledger';
import { writeSteering } from '../../../../../data/run/steering';
import { createFolderStore, type Store } from '../../../../../data/store/store';
import { tallyLines } from '../../../../../engine/costs/ledger';
import { steeringSchema } from '../../../../../schemas/run/steering';
import type { Step } from '../../../../../schemas/run/step';
import type { Usage } from '../../../../../schemas/model/usage';
import { buildPriceTable } from '../../../../price-table';
import { createEmptiedFolder } from '../../../../temporary-folder';

const root = createEmptiedFolder();
let store: Store;
beforeEach(async () => {
  store = createFolderStore(root);
  const modelTable = buildPriceTable({
    'openai:a': { input: 10, output: 20 },
    'openai:b': { input: 1, output: 2 },
  });
  await writeSteering(store, steeringSchema.parse({ modelTable }));
});

interface Call {
  readonly spec: string;
  readonly step: Step;
  readonly verdict?: 'good' | 'bad' | 'refused' | 'in flight';
  readonly usage?: Usage;
}

/** Records calls as a worker does; each is expected to take a thousand tokens either way. */
async function enter(worker: string, calls: readonly Call[]): Promise<void> {
  const ledger = openLedger(store, worker);
  for (const [index, { spec, step, verdict = 'good', usage = USAGE }] of calls.entries()) {
    const call = index + 1;
    const key = `${worker}/p1#r0.${step}.t${call}.a0`;
    await ledger.write({
      event: 'sent',
      sentAtMs: 1,
      call,
      key,
      spec,
      step,
      estimate: { input: 1000, output: 1000 },
    });
    if (verdict === 'in flight') continue;
    await ledger.write({ event: 'answered', call, verdict, usage, durationMs: 1 });
  }
}

const USAGE = { input: 100_000, output: 10_000 };

/** A row of one good answer. */
const ROW = { model: 'openai:a', calls: 1, bad: 0, separated: 0, trimmed: 0, estimated: 0, ...USAGE };

function costs(own: Parameters<typeof countCosts>[1] = { worker: 'own', rows: () => [] }) {
  return countCosts({ store, journal: openJournal(store) }, own);
}

test('calls of this process are counted once, from its memory', async () => {
  const call = { spec: 'openai:a', step: 'describe' } as const;
  await enter('w1', [call]);
  await enter('own', [call, call]);
  const rows = tallyLines('own', [
    {
      event: 'sent',
      sentAtMs: 1,
      call: 1,
      key: 'own/p1#r0.describe.t1.a0',
      ...call,
      estimate: { input: 1, output: 1 },
    },
    { event: 'answered', call: 1, verdict: 'good', usage: USAGE, durationMs: 1 },
  ]);
  expect((await costs({ worker: 'own', rows: () => rows }))?.rows).toMatchObject([{ calls: 2 }]);
});

test('every answer of every worker counts, bad and refused ones too, by part and model without its address', async () => {
  await enter('w1', [
    { spec: 'openai:a', step: 'describe' },
    { spec: 'openai:a', step: 'journey', verdict: 'bad' },
    { spec: 'openai:b', step: 'user', verdict: 'refused' },
  ]);
  await enter('w2', [
    { spec: 'openai:a', step: 'checklist' },
    { spec: 'openai:b', step: 'assistant' },
  ]);
  const result = await costs();
  expect(result).toMatchObject({ pricesCheckedOn: '2025-01-01' });
  expect(result?.rows).toEqual([
    { ...ROW, part: 'synthesis', calls: 3, bad: 1, input: 300_000, output: 30_000, usd: expect.closeTo(3.6) },
    { ...ROW, part: 'user', model: 'openai:b', bad: 1, usd: expect.closeTo(0.12) },
    { ...ROW, part: 'assistant', model: 'openai:b', usd: expect.closeTo(0.12) },
  ]);
  expect(result?.usd).toBeCloseTo(3.84);
});

test('what is not known counts as it was estimated, and says so', async () => {
  await enter('w1', [
    { spec: 'openai:a', step: 'user', usage: {} },
    { spec: 'openai:a', step: 'user', verdict: 'in flight' },
    { spec: 'openai:a', step: 'user' },
  ]);
  const known = { calls: 2, input: 102_000, output: 12_000, estimated: 2 };
  expect((await costs())?.rows).toEqual([{ ...ROW, ...known, part: 'user', usd: expect.closeTo(1.26) }]);
});

test.each(['openai-compatible:mine@http://inside.example/v1', 'module:./mine.mjs'])(
  'what a model without a price cost is unknown, and so is the sum: %s',
  async (spec) => {
    await enter('w1', [
      { spec, step: 'user' },
      { spec: 'openai:a', step: 'assistant' },
    ]);
    const result = await costs();
    expect(result?.usd).toBeUndefined();
    expect(result?.rows.map(({ usd }) => usd)).toEqual([undefined, expect.closeTo(1.2)]);
    expect(JSON.stringify(result?.rows)).not.toMatch(/inside\.example|\.\//);
  },
);

test('a simulated model cost nothing, and the built-in prices apply where the run has none of its own', async () => {
  await writeSteering(store, steeringSchema.parse({}));
  await enter('w1', [{ spec: 'simulated:default', step: 'user' }]);
  expect(await costs()).toMatchObject({ usd: 0, rows: [{ usd: 0 }], pricesCheckedOn: undefined });
  await enter('w2', [{ spec: 'openai:gpt-4o-2024-11-20', step: 'user' }]);
  expect(await costs()).toMatchObject({ usd: expect.closeTo(0.35), pricesCheckedOn: expect.any(String) });
});

test('a damaged ledger leaves the costs unknown and does not keep the data sets from being built', async () => {
  await enter('w1', [{ spec: 'openai:a', step: 'user' }]);
  await appendFile(join(root, 'ledger', 'w1.jsonl'), '{"event":"sent"}\n');
  expect(await costs()).toBeUndefined();
});
