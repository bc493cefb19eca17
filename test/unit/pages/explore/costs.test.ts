import { join } from 'node:path';
import { openRunStore } from '../../../../data/store/open-store';
import { openLedger } from '../../../../data/run/ledger';
import { buildJournalKey, buildTrialId } from '../../../../engine/journal/key';
import { buildFolderCostTable, createCostLookup, readCosts } from '../../../../pages/explore/costs';
import type { ResultCell } from '../../../../schemas/evaluation/results';
import type { HistoryForm } from '../../../../schemas/evaluation/context';
import type { EvaluationStep } from '../../../../schemas/run/step';
import { createTemporaryFolder } from '../../../temporary-folder';

const PRICED = 'openai:gpt-5.4-mini';
const UNPRICED = 'openai-compatible:own@http://127.0.0.1:1/v1';

const folder = createTemporaryFolder();

type Call = readonly [spec: string, step: EvaluationStep, context: HistoryForm];

/** Writes a ledger with a call of a million tokens for each entry. */
async function writeCalls(calls: readonly Call[]): Promise<string> {
  const results = join(folder, 'results');
  const ledger = openLedger(await openRunStore(results), 'worker');
  for (const [at, [spec, step, context]] of calls.entries()) {
    const call = at + 1;
    const workflowId = buildTrialId('run', { instance: call, model: 1, context });
    const key = buildJournalKey({ workflowId, revision: 0, step, turn: 1, attempt: 0 });
    const estimate = { input: 1, output: 1 };
    await ledger.write({ event: 'sent', call, key, spec, step, sentAtMs: call, estimate });
    const usage = { input: 1_000_000, output: 0 };
    await ledger.write({ event: 'answered', call, verdict: 'good', usage, durationMs: 1 });
  }
  return results;
}

test('a cell costs its own calls in its context, and a folder all calls', async () => {
  const results = await writeCalls([
    [PRICED, 'infer', 'full'],
    [PRICED, 'infer', 'full'],
    [PRICED, 'infer', 'oracle'],
    [PRICED, 'match', 'full'],
    [UNPRICED, 'infer', 'full'],
  ]);
  const costs = await readCosts(results);
  if (costs === undefined) throw new Error('There is a ledger.');
  const find = createCostLookup(costs);
  const costOf = (model: string, context: ResultCell['context'], task: ResultCell['task'] = 'inference') =>
    find([PRICED, UNPRICED], { model, context, task });
  const one = costOf(PRICED, 'oracle').value ?? Number.NaN;
  expect(one).toBeGreaterThan(0);
  expect(costOf(PRICED, 'full').value).toBeCloseTo(2 * one);
  expect(costOf(PRICED, 'full', 'choice').value).toBe(0);
  expect(costOf('openai-compatible:own', 'full')).toEqual({ form: 'usd', value: null });
  const { title, lines, rows } = buildFolderCostTable('results', costs);
  expect(title).toContain(`$${(4 * one).toFixed(2)}`);
  expect(lines).toEqual([expect.stringContaining('openai-compatible:own')]);
  expect(rows).toContainEqual(expect.objectContaining({ name: 'match', depth: 1 }));
  // Five calls of a million tokens, one of them without a price.
  const total = rows.at(-1);
  expect(total).toMatchObject({ name: 'total', cells: [{ value: 5_000_000 }, {}, {}, {}, {}] });
  expect(total?.cells[3]).toMatchObject({ text: `at least $${(4 * one).toFixed(2)}` });
});

test('a folder without a ledger has no costs', async () => {
  expect(await readCosts(join(folder, 'other'))).toBeUndefined();
});
