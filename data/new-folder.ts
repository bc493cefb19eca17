import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { errorCode } from './error-code';
import { DataError, reasonOf } from './sets/error';
import { syncFolder } from './store';

/**
 * Makes a folder with all that `fill` writes into it, or, when that fails or the process dies, no folder: it is filled beside its
 * place and then put there. `fill` must have its files on disk (fsync) when it resolves.
 * @throws DataError when something is there already that is not an empty folder, or the folder cannot be made
 */
export async function writeNewFolder<T>(folder: string, fill: (folder: string) => Promise<T>): Promise<T> {
  const place = await emptyPlace(folder);
  const parent = dirname(place);
  const beginning = `.${basename(place)}.writing-`;
  const temporary = join(parent, beginning + randomUUID());
  try {
    await mkdir(temporary, { recursive: true });
    await removeUnfinished(parent, beginning, temporary);
  } catch (error) {
    throw cannotBeMade(folder, error);
  }
  try {
    const result = await fill(temporary);
    await syncFolders(temporary);
    try {
      // An empty folder is replaced; one that has been filled meanwhile is not.
      await rename(temporary, place);
    } catch (error) {
      throw cannotBeMade(folder, error);
    }
    await syncFolder(parent);
    return result;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

/**
 * To know before the work begins that a folder can be made there.
 * @returns where it will stand, symbolic links followed
 * @throws DataError when something is there that is not an empty folder
 */
export async function emptyPlace(folder: string): Promise<string> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return resolve(folder);
    if (errorCode(error) !== 'ENOTDIR') throw cannotBeMade(folder, error);
    throw new DataError(`${folder} is not a folder. Name a new or an empty one.`);
  }
  if (names.length > 0) {
    throw new DataError(
      `${folder} is not empty: it has ${names.length === 1 ? '' : `${names.length} files or folders, such as `}${names.toSorted()[0]}. ` +
        'Name a new or an empty folder, so that nothing is overwritten or mixed.',
    );
  }
  const place = await realpath(folder);
  const cannotBeReplaced = (what: string) =>
    new DataError(`${folder} is ${what}, which cannot be replaced as a whole. Name a new folder in it.`);
  if (relative(place, process.cwd()) === '') {
    throw cannotBeReplaced('the folder that this command was called from');
  }
  const [own, parent] = await Promise.all([stat(place), stat(dirname(place))]);
  if (own.dev !== parent.dev) throw cannotBeReplaced('where another file system is mounted');
  return place;
}

/** Removes what earlier tries at the same folder left when their process was killed. */
async function removeUnfinished(parent: string, beginning: string, own: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const isUnfinished = name.startsWith(beginning) && UUID.test(name.slice(beginning.length));
    if (isUnfinished && path !== own) await rm(path, { recursive: true, force: true });
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function cannotBeMade(folder: string, cause: unknown): DataError {
  return new DataError(
    `The folder ${folder} cannot be made (${reasonOf(cause)}). Name one where you may write.`,
    { cause },
  );
}

async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}
