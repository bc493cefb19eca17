import { changeOpenBatch } from '../../data/run/batches';
import type { World } from '../world';
import { openBatch } from './open-batch';

/** How a batch stands, as a workflow sees it. */
interface PolledBatch {
  readonly number: number;
  /** True when its answers can be fetched. */
  readonly ended: boolean;
  /** Requests that were answered so far; absent where the provider does not say. */
  readonly answered?: number;
}

/**
 * Asks how batches stand. One that has waited for longer than `waitMs` is cancelled, and given up where even that does not end it.
 * @throws ModelError
 */
export async function pollBatches(
  world: World,
  input: { readonly run: string; readonly numbers: readonly number[]; readonly waitMs: number },
): Promise<PolledBatch[]> {
  const polled: PolledBatch[] = [];
  for (const number of input.numbers) polled.push(await pollBatch(world, { number, waitMs: input.waitMs }));
  return polled;
}

async function pollBatch(
  world: World,
  { number, waitMs }: { readonly number: number; readonly waitMs: number },
): Promise<PolledBatch> {
  const { files, batch, ask } = await openBatch(world, { number });
  const { providerId, sending, cancelledBy } = batch;
  if (batch.ended !== undefined) return { number, ended: true, answered: batch.ended.answered };
  if (providerId === undefined || sending === undefined) return { number, ended: false };
  const state = await ask((model) => model.poll(providerId));
  if (state.state === 'ended') return { number, ended: true };
  const answered = state.answered === undefined ? {} : { answered: state.answered };
  const waitedMs = Date.now() - sending.at;
  const isLate = waitedMs > waitMs && cancelledBy === undefined;
  if (isLate) await ask((model) => model.cancel(providerId));
  if (isLate || state.answered !== batch.answered) {
    const late = isLate ? { cancelledBy: 'deadline' as const } : {};
    await changeOpenBatch(files.store, number, { ...answered, ...late });
  }
  return { number, ended: isGivenUp(waitedMs, waitMs), ...answered };
}

/** True when a batch was cancelled long ago and has not ended: its answers, if there are any, are not waited for. */
function isGivenUp(waitedMs: number, waitMs: number): boolean {
  return waitedMs > waitMs + Math.min(waitMs, CANCELLING_MS);
}

/** OpenAI takes up to ten minutes to cancel a batch. */
const CANCELLING_MS = 30 * 60_000;
