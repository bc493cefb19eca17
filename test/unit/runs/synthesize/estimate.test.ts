import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readBegunRun, buildEstimate } from '../../../../runs/synthesize/estimate';
import { growRun, planRun, readRunRequest, type SynthesisRequest } from '../../../../runs/synthesize/inputs';
import { RunFolderError } from '../../../../runs/folder/run-folder-error';
import { writePlan, type RunPlan } from '../../../../data/run/inputs';
import { openJournal } from '../../../../data/run/journal';
import { openLedger } from '../../../../data/run/ledger';
import { takeLock } from '../../../../data/store/lock';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { FOLDER_FORMAT } from '../../../../schemas/run/folder-format';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { buildJournalEntry } from '../../../journal-entry';
import { buildPriceTable } from '../../../price-table';
import { createEmptiedFolder } from '../../../temporary-folder';

const MODELS = { synthesis: 'openai:s', user: 'openai:u', assistant: 'together:a' };
const PRICES = buildPriceTable({
  'openai:s': { input: 1, output: 10 },
  'openai:u': { input: 1, output: 10 },
});

const root = createEmptiedFolder();
let store: Store;

beforeEach(async () => {
  store = createFolderStore(path.join(root, '.cupid'));
});

function wanted(nPersonas: number): Promise<SynthesisRequest> {
  return readRunRequest(synthesisSettingsSchema.parse({ models: MODELS, nPersonas }), {});
}

async function begin(): Promise<RunPlan> {
  const plan = await planRun(await wanted(6));
  await writePlan(store, plan);
  const ledger = openLedger(store, 'w');
  const key = (attempt: number) => `${plan.inputs.id}/p1#r0.factors.t0.a${attempt}`;
  const call = { spec: 'openai:s', step: 'factors', estimate: { input: 1000, output: 100 } } as const;
  await ledger.write({ event: 'sent', sentAtMs: 1, call: 1, key: key(0), ...call });
  const usage = { input: 2000, output: 200 };
  await ledger.write({ event: 'answered', call: 1, verdict: 'bad', usage, durationMs: 1 });
  await ledger.write({ event: 'sent', sentAtMs: 1, call: 2, key: key(1), ...call });
  await ledger.write({ event: 'sent', sentAtMs: 1, call: 3, key: key(2), ...call });
  const entry = buildJournalEntry(key(2), { usage });
  await openJournal(store).append({ ...entry, spec: 'openai:s', ledgerCall: 'w/3' });
  return plan;
}

test('a run that is not begun is estimated without a trace in its folder', async () => {
  expect(await readBegunRun(root)).toBeUndefined();
  expect(await readBegunRun(path.join(root, 'none'))).toBeUndefined();
  const estimate = await buildEstimate(await planRun(await wanted(6)), undefined, { modelTable: PRICES });
  expect(await readdir(root)).toEqual([]);
  expect(estimate.personas).toEqual({ all: 6, finished: 0, failed: 0 });
  expect(estimate.progress).toBeUndefined();
});

test('prompts and templates are taken as long as they are', async () => {
  const plan = await planRun(await wanted(6));
  const longer = {
    ...plan,
    prompts: {
      ...plan.prompts,
      prompts: {
        ...plan.prompts.prompts,
        'synthesis/context_factors_generator': {
          system_prompt: `${'x'.repeat(40_000)}{n_factors}`,
          user_prompt: '{user_persona}',
        },
      },
    },
  };
  const [was, is] = await Promise.all(
    [plan, longer].map(async (one) => (await buildEstimate(one, undefined, { modelTable: PRICES })).rows[1]),
  );
  expect(is?.step).toBe('factors');
  // Six calls, four characters a token, and 3 % repeated.
  expect(is?.remaining.likely.input).toBeGreaterThan(6 * 10_000);
  expect(is?.remaining.likely.input).toBeLessThan(6 * 10_000 + (was?.remaining.likely.input ?? 0));
});

test('costs are those of the priced models, and the others are named', async () => {
  const { rows, total, unpricedModels, pricesCheckedOn } = await buildEstimate(
    await planRun(await wanted(6)),
    undefined,
    { modelTable: PRICES },
  );
  expect(unpricedModels).toEqual(['together:a']);
  expect(pricesCheckedOn).toBe('2025-01-01');
  const sum = rows.reduce((usd, row) => usd + (row.usd?.remaining.likely ?? 0), 0);
  expect(total.likely.usd).toBeCloseTo(sum, 9);
  expect(rows.filter(({ usd }) => usd === undefined).map(({ step }) => step)).toEqual(['assistant']);
});

test('the estimate of a run that was begun shows what is spent and what is left; a call without a word is lost', async () => {
  const plan = await begin();
  const begun = await readBegunRun(root);
  expect(begun?.driven).toBe(false);
  expect(begun?.plan.inputs.id).toBe(plan.inputs.id);
  const estimate = await buildEstimate(plan, begun, { modelTable: PRICES });
  // Two answers, one of them from the journal, and one call at its estimate.
  const spent = { calls: 2, input: 2 * 2000 + 1000, output: 2 * 200 + 100, usd: expect.closeTo(0.01, 9) };
  expect(estimate.progress?.spent).toEqual(spent);
  const { total, progress: { remaining } = { remaining: undefined } } = estimate;
  expect(remaining?.likely.calls).toBe(total.likely.calls - 2);
  expect(remaining?.high.usd).toBeCloseTo(total.high.usd - 0.01, 9);
  // The persona's context factors exist: five are left, one of them perhaps to be repaired.
  expect(estimate.rows.find(({ step }) => step === 'factors')?.remaining.low.calls).toBe(5);
});

test('while a command works in the folder, its calls in flight are not lost', async () => {
  const plan = await begin();
  const release = await takeLock(path.join(root, '.cupid', 'lock'), root);
  try {
    const begun = await readBegunRun(root);
    expect(begun?.driven).toBe(true);
    expect((await buildEstimate(plan, begun, { modelTable: PRICES })).progress?.spent).toMatchObject({
      calls: 1,
      input: 2000,
    });
  } finally {
    release();
  }
});

test('a run that is to grow is estimated as large as it will be', async () => {
  const plan = await begin();
  const begun = await readBegunRun(root);
  const grown = await buildEstimate(await growRun(plan, await wanted(60)), begun, { modelTable: PRICES });
  expect(grown.personas.all).toBe(60);
  expect(grown.rows[0]).toMatchObject({ step: 'describe', remaining: { low: { calls: 2 + 14 } } });
});

test('a folder with an evaluation is refused by name', async () => {
  await store.write('inputs/evaluation.json', JSON.stringify({ format: FOLDER_FORMAT }));
  await expect(readBegunRun(root)).rejects.toThrow(RunFolderError);
});
