import { buildCustomId } from '../../../../activities/batch/collect';
import { fetchBatch } from '../../../../activities/batch/fetch';
import { createBatch, readBatch, writeBatch } from '../../../../data/run/batches';
import { openJournal } from '../../../../data/run/journal';
import { readLedgerLines } from '../../../../data/run/ledger';
import { loadPromptPack } from '../../../../data/prompts/load';
import { createFolderStore } from '../../../../data/store/store';
import { settleLedgers } from '../../../../engine/costs/ledger';
import type { BatchModel } from '../../../../models/batches/batch';
import { ModelError } from '../../../../models/errors/error';
import { createTemporaryFolder } from '../../../temporary-folder';
import { openIdleWorld } from '../../workers/idle-world';

const folder = createTemporaryFolder();
const ESTIMATE = { input: 100, output: 50 };
const BATCH = {
  number: 1,
  id: 'run-b1-abc',
  spec: 'openai:gpt-5',
  step: 'infer',
  requests: 1,
  estimate: ESTIMATE,
} as const;

test('an answer in a batch that broke off is charged as its provider reported it', async () => {
  const store = createFolderStore(folder);
  const request = { request: 'hash', settings: '{}', maxTokens: 9, temperature: 0, estimate: ESTIMATE };
  await createBatch(store, BATCH, [{ number: 1, key: 'run/i1#a', ...request }], ['{}']);
  await writeBatch(store, { ...(await readBatch(store, 1)), providerId: 'batch_1' });
  const usage = { input: 90, output: 7 };
  const error = new ModelError('unavailable', 'The answer broke off.', undefined, { usage });
  const model: BatchModel = {
    most: { requests: 10, bytes: 1_000 },
    account: 'account',
    render: () => '{}',
    find: async () => [],
    submit: async () => 'batch_1',
    poll: async () => ({ state: 'ended', outcome: 'completed' }),
    async *results() {
      yield { customId: buildCustomId(BATCH.id, 1), error };
    },
    cancel: async () => undefined,
  };
  const prompts = await loadPromptPack(undefined, []);
  const run = { id: 'run', store, journal: openJournal(store), settings: { seed: 1 }, prompts };
  const world = { ...openIdleWorld(run, new Set()), batches: async () => model };
  await fetchBatch(world, { run: 'run', number: 1 });
  const [ledger] = await settleLedgers(await readLedgerLines(store), [], async () => undefined);
  expect(ledger).toMatchObject({
    rows: [{ failures: { unavailable: 1 }, lostCalls: 1, assumedTokens: usage }],
  });
});
