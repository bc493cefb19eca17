import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { formatNames } from '../../schemas/text/value-text';
import { makeDirectories } from './directories';
import { getErrorCode } from './system-error';
import { DataError, getReason } from './data-error';
import type { WrittenPart } from '../../schemas/dataset/export';
import { syncPath, writeSynced } from './store';

/**
 * Creates a folder with everything that `fill` writes, or none when that fails or the process dies: it is filled beside its place and then
 * moved there. `fill` must have synced its files to disk when it resolves.
 * @throws DataError when something other than an empty folder exists there, or the folder cannot be created
 */
export async function writeNewFolder<T>(folder: string, fill: (folder: string) => Promise<T>): Promise<T> {
  const place = await requireEmptyPlace(folder);
  const parent = dirname(place);
  const beginning = `.${basename(place)}.writing-`;
  const temporary = join(parent, beginning + randomUUID());
  let removeMade: () => Promise<void>;
  try {
    removeMade = await makeDirectories(temporary);
    await removeUnfinished(parent, beginning, temporary);
  } catch (error) {
    throw createCannotCreateError(folder, error);
  }
  try {
    const result = await fill(temporary);
    await syncFolders(temporary);
    try {
      // Replaces an empty folder, but not one that was filled meanwhile.
      await rename(temporary, place);
    } catch (error) {
      throw createCannotCreateError(folder, error);
    }
    await syncPath(parent);
    return result;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    await removeMade();
    throw error;
  }
}

/** Writes a text into a new folder. Returns its part of the report. */
export async function writeTextPart(folder: string, path: string, text: string): Promise<WrittenPart> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeSynced(file, text);
  return { path, files: 1, bytes: Buffer.byteLength(text) };
}

/**
 * Checks before the work starts that a folder can be created there.
 * @returns its place, with symbolic links resolved
 * @throws DataError when something other than an empty folder exists there
 */
export async function requireEmptyPlace(folder: string): Promise<string> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return resolve(folder);
    if (getErrorCode(error) !== 'ENOTDIR') throw createCannotCreateError(folder, error);
    throw new DataError(`${folder} is a file. Name a new or empty folder.`);
  }
  if (names.length > 0) {
    throw new DataError(
      `${folder} is not empty: it contains ${formatNames(names.toSorted())}. Name a new or empty folder.`,
    );
  }
  const place = await realpath(folder);
  const cannotBeReplaced = (description: string) =>
    new DataError(`${folder} is ${description}, which cannot be replaced. Name a new folder inside it.`);
  if (relative(place, process.cwd()) === '') {
    throw cannotBeReplaced('the current directory');
  }
  const [stats, parentStats] = await Promise.all([stat(place), stat(dirname(place))]);
  if (stats.dev !== parentStats.dev) throw cannotBeReplaced('the mount point of another file system');
  return place;
}

/** Removes files of killed attempts at the same folder. */
async function removeUnfinished(parent: string, beginning: string, exception: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const isUnfinished = name.startsWith(beginning) && UUID.test(name.slice(beginning.length));
    if (isUnfinished && path !== exception) await rm(path, { recursive: true, force: true });
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function createCannotCreateError(folder: string, cause: unknown): DataError {
  return new DataError(
    `${folder} cannot be created (${getReason(cause)}). Name a folder in a directory that you may write to.`,
    { cause },
  );
}

async function syncFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncPath(folder);
}
