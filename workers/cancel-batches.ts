import { readBatchCalls, readOpenBatches, writeBatch } from '../data/run/batches';
import { writeLedger } from '../data/run/ledger';
import type { Store } from '../data/store/store';
import type { BatchApi } from '../models/batches/batch';
import type { Batch } from '../schemas/run/batch';
import { parseModelSpec } from '../schemas/model/model-spec';
import { openBatchApi } from './world';
import { buildFailedLines } from '../engine/costs/ledger';

/**
 * Has providers stop the open batches of a run. What they have answered until then is fetched when the run continues. To be done under the
 * lock of the run's folder. Returns how many there were.
 * @throws ModelError
 */
export async function cancelBatches(store: Store, environment: NodeJS.ProcessEnv): Promise<number> {
  const batches = await readOpenBatches(store);
  for (const batch of batches) {
    const api = openBatchApi(parseModelSpec(batch.spec), environment);
    if (api !== undefined) await cancelBatch(store, batch, api);
  }
  return batches.length;
}

async function cancelBatch(store: Store, batch: Batch, api: BatchApi): Promise<void> {
  const { id, requests, sending } = batch;
  const providerId =
    batch.providerId ??
    (sending === undefined ? undefined : await api.find({ id, requests, sentAtMs: sending.at }));
  if (providerId !== undefined) {
    if ((await api.poll(providerId)).state === 'waiting') await api.cancel(providerId);
    await writeBatch(store, { ...batch, providerId, cancelledBy: 'user' });
    return;
  }
  if (sending !== undefined) {
    const calls = await readBatchCalls(store, batch);
    await writeLedger(store, id, buildFailedLines(batch, calls, sending.at, 'cancelled'));
  }
  await writeBatch(store, { ...batch, ended: { how: 'cancelled', answered: 0, left: [] } });
}
