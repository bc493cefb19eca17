import { changeOpenBatch } from '../../data/run/batches';
import type { World } from '../world';
import { findSent } from './find-sent';
import { keepOldest } from './keep-oldest';
import { openBatch, type OpenBatch } from './open-batch';

/** State of a batch, as a workflow sees it. */
interface PolledBatch {
  readonly number: number;
  /** True if its answers can be fetched. */
  readonly ended: boolean;
  /** Number of answered requests so far; absent if the provider does not report it. */
  readonly answers?: number;
}

/**
 * Polls batches. Cancels one that has waited for longer than `waitMs`, and gives it up if even that does not end it.
 * @throws ModelError
 */
export async function pollBatches(
  world: Pick<World, 'run' | 'batches' | 'emit'>,
  input: { readonly run: string; readonly numbers: readonly number[]; readonly waitMs: number },
): Promise<PolledBatch[]> {
  const polled: PolledBatch[] = [];
  for (const number of input.numbers) polled.push(await pollBatch(world, { number, waitMs: input.waitMs }));
  return polled;
}

async function pollBatch(
  world: Pick<World, 'run' | 'batches' | 'emit'>,
  { number, waitMs }: { readonly number: number; readonly waitMs: number },
): Promise<PolledBatch> {
  const open = await openBatch(world, { number });
  const { files, batch, ask } = open;
  const { submission, cancelledBy } = batch;
  if (batch.end !== undefined) return { number, ended: true, answers: batch.end.answers };
  if (batch.providerId === undefined || submission === undefined) return { number, ended: false };
  const providerId = await findCounting(world, open, batch.providerId);
  const state = await ask((model) => model.poll(providerId));
  if (state.state === 'ended') return { number, ended: true };
  const progress = state.answers === undefined ? {} : { answers: state.answers };
  const waitedMs = Date.now() - submission.sentAtMs;
  const isLate = waitedMs > waitMs && cancelledBy === undefined;
  if (isLate) await ask((model) => model.cancel(providerId));
  if (isLate || state.answers !== batch.answers) {
    const late = isLate ? { cancelledBy: 'deadline' as const } : {};
    await changeOpenBatch(files.store, number, { ...progress, ...late });
  }
  return { number, ended: isGivenUp(waitedMs, waitMs), ...progress };
}

/** Finds the provider's batch that counts. One that was sent again may turn out to have arrived the first time. */
async function findCounting(
  world: Pick<World, 'emit'>,
  open: OpenBatch,
  providerId: string,
): Promise<string> {
  const { files, batch, ask } = open;
  const search = await findSent(files.store, batch, (sent) => ask((model) => model.find(sent)));
  const [oldest = providerId, ...laterIds] = 'ids' in search ? search.ids : [];
  await keepOldest(world, open, [oldest, ...laterIds]);
  return oldest;
}

/** Returns true if a batch was cancelled long ago and has not ended, so that nobody waits for its answers. */
function isGivenUp(waitedMs: number, waitMs: number): boolean {
  return waitedMs > waitMs + Math.min(waitMs, CANCELLING_MS);
}

/** OpenAI takes up to ten minutes to cancel a batch. */
const CANCELLING_MS = 30 * 60_000;
