import { changeOpenBatch, readBatchCalls } from '../../data/run/batches';
import { writeLedger } from '../../data/run/ledger';
import { buildDuplicateLines, buildSentLines } from '../../engine/costs/ledger';
import { pluralize } from '../../schemas/text/count-text';
import type { World } from '../world';
import type { OpenBatch } from './open-batch';

/**
 * Keeps the oldest of the provider's batches with one id, and has it cancel the others. The ledger then says that they were sent as well.
 * @param ids the provider's, the oldest first
 * @throws ModelError
 */
export async function keepOldest(
  { emit }: Pick<World, 'emit'>,
  { files: { store }, batch, ask }: OpenBatch,
  ids: readonly [string, ...string[]],
): Promise<void> {
  const [providerId, ...laterIds] = ids;
  const knownIds = batch.duplicates ?? [];
  const added = laterIds.filter((id) => !knownIds.includes(id));
  for (const id of added) {
    await ask(async (model) => {
      if ((await model.poll(id)).state === 'waiting') await model.cancel(id);
    });
  }
  if (providerId === batch.providerId && added.length === 0) return;
  const duplicates = [...knownIds, ...added].filter((id) => id !== providerId);
  const changes = { providerId, ...(duplicates.length === 0 ? {} : { duplicates }) };
  // The batch was cancelled meanwhile, so its calls may be in another batch by now.
  if (!(await changeOpenBatch(store, batch.number, changes))) return;
  if (duplicates.length === 0) return;
  const calls = await readBatchCalls(store, batch);
  const at = batch.submission?.sentAtMs ?? Date.now();
  await writeLedger(store, batch.id, [
    ...buildSentLines(batch, calls, at),
    ...buildDuplicateLines({ ...batch, duplicates }, calls, at),
  ]);
  const message = `The provider made ${duplicates.length + 1} batches of batch ${batch.id}, which was sent again because nothing showed that it had arrived. The oldest (${providerId}) counts; the ${pluralize(duplicates.length, 'other', 'others')} (${duplicates.join(', ')}) ${pluralize(duplicates.length, 'was', 'were')} cancelled. What the provider may charge for ${pluralize(duplicates.length, 'it', 'them')} is in the ledger as an estimate.`;
  emit({ type: 'noticed', about: message, message });
}
