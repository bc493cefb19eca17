import { setTimeout } from 'node:timers/promises';
import { findSent } from '../activities/batch/find-sent';
import { readBatch, readBatchCalls, readOpenBatches, writeBatch } from '../data/run/batches';
import { writeLedger } from '../data/run/ledger';
import type { Store } from '../data/store/store';
import type { BatchApi } from '../models/batches/batch';
import { parseModelSpec } from '../schemas/model/model-spec';
import { openBatchApi } from './world';
import { buildFailedLines } from '../engine/costs/ledger';

/**
 * Cancels the open batches of a run at their providers, under the lock of the run's folder. Their answers so far are fetched when the run
 * continues. Returns the number of batches.
 * @param report receives a line when it takes a while to know whether a batch arrived
 * @throws ModelError
 */
export async function cancelBatches(
  store: Store,
  environment: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<number> {
  const batches = await readOpenBatches(store);
  for (const { number, spec } of batches) {
    const api = await openBatchApi(parseModelSpec(spec), environment);
    if (api !== undefined) await cancelBatch(store, number, api, report);
  }
  return batches.length;
}

async function cancelBatch(
  store: Store,
  number: number,
  api: BatchApi,
  report: (line: string) => void,
): Promise<void> {
  const ids = await waitForIds(store, number, api, report);
  const batch = await readBatch(store, number);
  for (const id of ids) if ((await api.poll(id)).state === 'waiting') await api.cancel(id);
  const [providerId, ...laterIds] = ids;
  if (providerId !== undefined) {
    const duplicates = [...new Set([...(batch.duplicates ?? []), ...laterIds])];
    await writeBatch(store, {
      ...batch,
      providerId,
      ...(duplicates.length === 0 ? {} : { duplicates }),
      cancelledBy: 'user',
    });
    return;
  }
  const { submission } = batch;
  if (submission !== undefined) {
    const calls = await readBatchCalls(store, batch);
    await writeLedger(store, batch.id, buildFailedLines(batch, calls, submission.sentAtMs, 'cancelled'));
  }
  await writeBatch(store, { ...batch, end: { outcome: 'cancelled', answers: 0, unansweredKeys: [] } });
}

/** Returns the provider's ids of a batch, once it is known whether it arrived. */
async function waitForIds(
  store: Store,
  number: number,
  api: BatchApi,
  report: (line: string) => void,
): Promise<readonly string[]> {
  for (let attempts = 1; ; attempts += 1) {
    const batch = await readBatch(store, number);
    const search = await findSent(store, batch, (sentBatch) => api.find(sentBatch));
    if ('ids' in search) return search.ids;
    if (attempts === 1) {
      report(
        `Batch ${batch.id} may have arrived at the provider, which does not list it yet. Looking for it for up to 2 minutes, to cancel it.`,
      );
    }
    await setTimeout(search.againInMs);
  }
}
