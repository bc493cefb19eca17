import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeDurableFolder } from './store';
import { getErrorCode } from './system-error';

/**
 * Makes a directory and its missing ancestors, as `makeDurableFolder` does.
 * @returns a function that removes the new directories that are still empty
 */
export async function makeDirectories(
  ...[path, options]: Parameters<typeof makeDurableFolder>
): Promise<() => Promise<void>> {
  const first = await makeDurableFolder(path, options);
  return async () => {
    if (first !== undefined) await removeEmpty(resolve(path), resolve(first));
  };
}

/**
 * Runs work in a new temporary directory below the parent.
 * @param prefix of the directory's name
 * @param within the folder above it that the user named; absent for a directory of this program
 */
export async function useTemporaryDirectory<T>(
  parent: string,
  prefix: string,
  work: (directory: string) => Promise<T>,
  within?: string,
): Promise<T> {
  await makeDurableFolder(parent, { within });
  const directory = await mkdtemp(join(parent, prefix));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes a directory and its ancestors, up to `last`; stops at the first that is not empty. */
async function removeEmpty(directory: string, last: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    const code = getErrorCode(error) ?? '';
    if (['ENOTEMPTY', 'EEXIST'].includes(code)) return;
    // The caller has already removed it.
    if (code !== 'ENOENT') throw error;
  }
  if (directory !== last) await removeEmpty(dirname(directory), last);
}
