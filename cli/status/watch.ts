import { setTimeout as wait } from 'node:timers/promises';
import { RunNotFound, RunStarting } from '../../runs/folder/run-folder';
import type { RunStatus } from '../../runs/status/run-status';
import { AT_REST } from './status-text';

/** Watches a run until it is finished. Waits while there is none, and while it is stopped: its command may be repeated. */
export async function watchRun(readRun: () => Promise<RunStatus>, watcher: Watcher): Promise<void> {
  const { onStatus, onMissing, intervalMs, leaving } = watcher;
  let last: RunStatus['state'] | 'missing' | undefined;
  while (!leaving.aborted) {
    const now = await readRun().catch(ignoreMissing);
    if (leaving.aborted) return;
    if (now !== undefined) onStatus(now, now.state !== last || !AT_REST.has(now.state));
    else if (last === undefined) onMissing();
    if (now?.state === 'finished') return;
    last = now?.state ?? 'missing';
    // Rejects only when the user leaves.
    await wait(intervalMs, undefined, { signal: leaving }).catch(() => undefined);
  }
}

interface Watcher {
  /** @param isNews false if the run was at rest at the last refresh, and still is */
  readonly onStatus: (status: RunStatus, isNews: boolean) => void;
  /** Called once if there is no run yet. */
  readonly onMissing: () => void;
  readonly intervalMs: number;
  readonly leaving: AbortSignal;
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof RunNotFound || error instanceof RunStarting)) throw error;
}
