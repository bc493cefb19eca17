import { setTimeout as wait } from 'node:timers/promises';
import { JournalError } from '../data/run/journal';
import { explainError } from '../data/store/explain-error';
import { DISK_WAIT_MS, classifyDiskError } from '../data/store/system-error';
import type { World } from './world';

/**
 * Writes an answer, which is paid for and exists only here. While it cannot be written, it is held, and no new call is sent. A worker that
 * stops tries twice more, within ten seconds, because it would be killed sooner or later.
 * @throws JournalError; the error of the last try, when the worker stops
 */
export async function keepAnswer<T>(
  write: () => Promise<T>,
  { gate, emit }: Pick<World, 'emit'> & { readonly gate: Pick<World['gate'], 'stopping' | 'hold'> },
): Promise<T> {
  let release: (() => void) | undefined;
  try {
    for (let triesLeft = TRIES_WHILE_STOPPING; ;) {
      try {
        return await write();
      } catch (error) {
        // Another process stored an answer under this key, and that one is damaged, so waiting does not help.
        if (error instanceof JournalError) throw error;
        const message = explainError(error) ?? (error instanceof Error ? error.message : String(error));
        if (gate.stopping.aborted) triesLeft -= 1;
        if (triesLeft === 0) {
          emit({ type: 'noticed', about: 'lost answers', message: `${LOST} ${message}` });
          throw error;
        }
        release ??= gate.hold();
        emit({ type: 'delayed', cause: classifyDiskError(error) ?? 'disk', message });
        await waitForDisk(gate.stopping);
      }
    }
  } finally {
    release?.();
  }
}

const TRIES_WHILE_STOPPING = 3;
const LOST =
  'Answers that are paid for were lost, because they could not be written before this process stopped. Their calls will be made again.';

/** Waits before the next try; ends early when the worker begins to stop. */
async function waitForDisk(stopping: AbortSignal): Promise<void> {
  const options = stopping.aborted ? {} : { signal: stopping };
  await wait(DISK_WAIT_MS, undefined, options).catch(() => undefined);
}
