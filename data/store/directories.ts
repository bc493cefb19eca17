import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getErrorCode } from './system-error';

/**
 * Makes a directory, and those above it that are missing, all with this mode.
 * @returns a function that removes the ones that were made, as far as they are empty
 */
export async function makeDirectories(path: string, mode = 0o777): Promise<() => Promise<void>> {
  const first = await mkdir(path, { recursive: true, mode });
  return async () => {
    if (first !== undefined) await removeEmpty(resolve(path), resolve(first));
  };
}

/** Removes a directory and those above it, up to `last`; stops at the first that is not empty. */
async function removeEmpty(directory: string, last: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    const code = getErrorCode(error) ?? '';
    if (['ENOTEMPTY', 'EEXIST'].includes(code)) return;
    // Removed already, by a caller that knew what was in it.
    if (code !== 'ENOENT') throw error;
  }
  if (directory !== last) await removeEmpty(dirname(directory), last);
}
