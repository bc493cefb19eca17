import { setTimeout as wait } from 'node:timers/promises';
import { readOpenBatches } from '../../data/run/batches';
import type { OpenRun } from '../folder/run-folder';
import { lockRunFolder } from '../folder/run-lock';

/**
 * Cancels the batches of a run at their providers, once its command has left the folder. Returns the number of batches.
 * @throws ModelError; RunFolderError when the command does not leave
 */
export async function cancelOpenBatches(
  { folder }: OpenRun,
  environment: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<number> {
  if ((await readOpenBatches(folder.store)).length === 0) return 0;
  const { cancelBatches } = await import('../../workers/cancel-batches.js');
  await using _lock = await lockLeftFolder(folder);
  return await cancelBatches(folder.store, environment, report);
}

async function lockLeftFolder(folder: OpenRun['folder']): Promise<AsyncDisposable> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await lockRunFolder(folder);
    } catch (error) {
      if (tries === LOCK_TRIES) throw error;
      await wait(500);
    }
  }
}

const LOCK_TRIES = 40;
