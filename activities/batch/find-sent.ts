import { changeOpenBatch } from '../../data/run/batches';
import type { Store } from '../../data/store/store';
import type { BatchApi } from '../../models/batches/batch';
import { ModelError } from '../../models/errors/error';
import { formatCount } from '../../schemas/text/count-text';
import type { Batch } from '../../schemas/run/batch';

/** State of a batch in the provider's list: its ids, the oldest first, or when to ask again. */
type FoundBatch = { readonly ids: readonly string[] } | { readonly againInMs: number };

/**
 * Looks for a batch in the provider's list. After an answer that leaves open whether the batch arrived, the list may be late. The batch
 * counts as absent only after it was missing for two minutes. The time since when it is missing is stored, so a restart continues the wait.
 * @throws ModelError
 */
export async function findSent(store: Store, batch: Batch, find: BatchApi['find']): Promise<FoundBatch> {
  const { id, requests, number, submission, providerId } = batch;
  const { sends = 1, sentAtMs, missingSinceMs } = submission ?? { sends: 0, sentAtMs: 0 };
  if (sends === 0) return { ids: [] };
  if (sends === 1 && providerId !== undefined) return { ids: [providerId] };
  const confirmation = providerId === undefined ? {} : { providerId };
  const ids = await find({ id, requests, sentAtMs: sentAtMs, ...confirmation });
  // A confirmed batch that is not listed yet is younger than the listed ones.
  if (providerId !== undefined) return { ids: [...new Set([...ids, providerId])] };
  if (ids.length > 0) return { ids };
  const lackedMs = missingSinceMs === undefined ? 0 : Date.now() - missingSinceMs;
  if (lackedMs >= LISTED_WITHIN_MS) return { ids };
  if (missingSinceMs === undefined && submission !== undefined) {
    await changeOpenBatch(store, number, { submission: { ...submission, missingSinceMs: Date.now() } });
  }
  // Frequent at first, when it is most likely to appear.
  return {
    againInMs: Math.min(Math.max(lackedMs, FIRST_LOOK_MS), LAST_LOOK_MS, LISTED_WITHIN_MS - lackedMs),
  };
}

/** Maximum delay until a provider lists a new batch, and answers requests about it. */
export const LISTED_WITHIN_MS = 2 * 60_000;
const FIRST_LOOK_MS = 1_000;
const LAST_LOOK_MS = 30_000;

/** Returns the error that a batch may have arrived, and when the provider is asked again. */
export function createUnlistedError({ id, requests, spec }: Batch, againInMs: number): ModelError {
  return new ModelError(
    'unavailable',
    `${spec} gave no clear answer when batch ${id} (${formatCount(requests, 'request')}) was sent, so the batch may have arrived. It is sent again only if it is not in the provider's list for 2 minutes.`,
    againInMs,
  );
}
