import { lstat, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withLicenseOf, removeLicense } from '../card/edit';
import { getErrorCode, isMissing } from '../store/system-error';
import { hashFile, hashText } from '../store/files';
import { CARD } from '../folders/folder';
import { type OutputRecord, readOutputRecord, writeOutputRecord } from '../outputs/output-record';
import {
  findEntry,
  IrregularFile,
  listDirectory,
  readText,
  readTextIfThere,
  removeFile,
  requireDirectories,
} from '../store/own-file';
import { readAhead } from '../store/read-ahead';
import { makeDurableFolder, syncPath, writeSynced } from '../store/store';

export interface OutputFile {
  /** Path in the run's folder, with `/`. */
  readonly path: string;
  /** Path of the new file, which is moved from there; on the same file system. */
  readonly newFile: string;
  /** SHA-256 of the new file, if it was computed. */
  readonly sha256?: string;
}

/** Results of placing a run's outputs, as paths in its folder. */
export interface OutputPlacement {
  /** New, missing or outdated files that were written. */
  readonly writtenFiles: readonly string[];
  /** Files that this run did not write, which were left as they are. */
  readonly foreignFiles: readonly string[];
  /** Outputs that were not written, because they, or others of their set, are foreign. */
  readonly withheldFiles: readonly string[];
}

/**
 * Places a run's outputs in its folder. One rule holds for every command and every output: a file is replaced or removed only while it is
 * byte for byte what the run wrote there last. Any other file is left and reported. The files of a set describe each other (a table and its
 * card), so new contents are written to all of them or to none.
 *
 * The user may choose a card's license, so it may differ, and is kept.
 * @param sets all present outputs of the run; earlier ones that are not among them are removed
 */
export async function placeOutputs(
  folder: string,
  sets: readonly (readonly OutputFile[])[],
): Promise<OutputPlacement> {
  const record: OutputRecord = await readOutputRecord(folder);
  const outputs: ComparedOutput[] = [];
  for await (const set of readAhead(sets, PLACED_AT_ONCE, (each) => compareSet(folder, each, record)))
    outputs.push(...set);
  const removals = await compareRemoved(folder, outputs, record);

  const newOutputs = outputs.filter(({ state }) => state === 'write');
  const removed = removals.filter(({ state }) => state === 'remove');
  // Both hashes are recorded while files are being replaced: after a crash either is the run's own.
  if (newOutputs.length + removed.length > 0) {
    await writeOutputRecord(folder, {
      ...record,
      ...buildOutputRecord(newOutputs, ({ path, hash }) => [...(record[path] ?? []), hash]),
    });
  }
  for await (const _ of readAhead(newOutputs, PLACED_AT_ONCE, (output) => placeOutput(folder, output)));
  for (const { path } of removed) await removeFile(join(folder, path), folder);
  await settleDirectories(folder, [...newOutputs, ...removed]);
  const untouched = outputs.filter(({ state }) => state === 'foreign' || state === 'outdated');
  const ownOutputs = outputs.filter(({ state }) => state === 'write' || state === 'current');
  await writeOutputRecord(folder, {
    ...buildOutputRecord(untouched, ({ path }) => record[path] ?? []),
    ...buildOutputRecord(ownOutputs, ({ hash }) => [hash]),
  });

  const pathsOf = (state: State) =>
    [...outputs, ...removals].filter((output) => output.state === state).map(({ path }) => path);
  const withheldFiles = outputs.filter(({ isWithheld }) => isWithheld).map(({ path }) => path);
  return { writtenFiles: pathsOf('write'), foreignFiles: pathsOf('foreign'), withheldFiles };
}

/** Number of files placed at once: an evaluation has thousands, and each waits for the disk. */
const PLACED_AT_ONCE = 8;

/** Lists the paths where a new run could not place its outputs without touching existing files. An empty directory does not count. */
export async function listTakenPaths(folder: string, paths: readonly string[]): Promise<string[]> {
  const takenPaths: string[] = [];
  for (const path of paths) {
    await requireDirectories(dirname(join(folder, path)), folder);
    try {
      const isEmpty =
        (await lstat(join(folder, path))).isDirectory() &&
        (await listDirectory(join(folder, path), folder)).length === 0;
      if (!isEmpty) takenPaths.push(path);
    } catch (error) {
      const code = getErrorCode(error);
      // The parent is a file, which is the obstacle itself.
      if (code === 'ENOTDIR') takenPaths.push(dirname(path));
      else if (code !== 'ENOENT') throw error;
    }
  }
  return [...new Set(takenPaths)];
}

type State = 'current' | 'write' | 'outdated' | 'foreign' | 'remove';

interface ComparedOutput extends OutputFile {
  readonly state: State;
  readonly isWithheld: boolean;
  /** Hash of the file that the run made. */
  readonly hash: string;
}

async function compareSet(
  folder: string,
  set: readonly OutputFile[],
  record: OutputRecord,
): Promise<ComparedOutput[]> {
  const files = [];
  for (const output of set) {
    const { path, newFile, sha256 } = output;
    const hash = await hashOfContents(newFile, undefined, sha256);
    const currentHash = await hashOfFileThere(join(folder, path), folder);
    const isOwn =
      currentHash === undefined || currentHash === hash || (record[path] ?? []).includes(currentHash);
    files.push({ ...output, hash, there: currentHash, isOwn, isNew: !(record[path] ?? []).includes(hash) });
  }
  const isBlocked = files.some(({ isOwn }) => !isOwn) && files.some(({ isNew }) => isNew);
  return files.map(({ path, newFile, hash, there, isOwn, isNew }) => {
    const isCurrent = there === hash;
    const state = !isOwn ? 'foreign' : isCurrent ? 'current' : isBlocked ? 'outdated' : 'write';
    return { path, newFile, hash, state, isWithheld: isBlocked && !isCurrent && (isOwn || isNew) };
  });
}

/** Compares files that the run wrote earlier and no longer makes. */
async function compareRemoved(
  folder: string,
  outputs: readonly ComparedOutput[],
  record: OutputRecord,
): Promise<{ readonly path: string; readonly state: State }[]> {
  const paths = new Set(outputs.map(({ path }) => path));
  const removals: { path: string; state: State }[] = [];
  for (const [path, hashes] of Object.entries(record)) {
    if (paths.has(path)) continue;
    const currentHash = await hashOfFileThere(join(folder, path), folder);
    if (currentHash !== undefined)
      removals.push({ path, state: hashes.includes(currentHash) ? 'remove' : 'foreign' });
  }
  return removals;
}

async function placeOutput(folder: string, { path, newFile }: OutputFile): Promise<void> {
  const target = join(folder, path);
  if (basename(path) === CARD) await keepLicense(newFile, target, folder);
  await syncPath(newFile);
  await makeDurableFolder(dirname(target), { within: folder });
  await rename(newFile, target);
}

async function keepLicense(source: string, target: string, folder: string): Promise<void> {
  const before = await readTextIfThere(target, folder);
  if (before === undefined) return;
  await writeSynced(source, withLicenseOf(await readText(source, undefined), before));
}

/** Syncs the directories of these files to disk, and removes those that are empty now. */
async function settleDirectories(folder: string, files: readonly { readonly path: string }[]): Promise<void> {
  const directories = new Set<string>();
  for (const { path } of files) {
    for (let directory = dirname(path); directory !== '.'; directory = dirname(directory))
      directories.add(directory);
  }
  // Deepest first: their paths are longer.
  for (const directory of [...directories].toSorted((a, b) => b.length - a.length)) {
    await rmdir(join(folder, directory)).catch(() => syncPath(join(folder, directory)));
  }
  if (files.length > 0) await syncPath(folder);
}

/**
 * Computes the SHA-256 of a file; of a card without its license.
 * @param sha256 SHA-256 of the whole file, if it was computed
 */
async function hashOfContents(file: string, within?: string, sha256?: string): Promise<string> {
  if (basename(file) !== CARD) return sha256 ?? (await hashFile(file, within)).sha256;
  return hashText(removeLicense(await readText(file, within)));
}

/**
 * Computes the hash of a file; undefined if there is none, or for a directory.
 * @throws IrregularFile for a link, for example
 */
async function hashOfFileThere(file: string, folder: string): Promise<string | undefined> {
  try {
    return await hashOfContents(file, folder);
  } catch (error) {
    if (isMissing(error)) return undefined;
    const isDirectory =
      error instanceof IrregularFile && (await findEntry(file, folder))?.isDirectory() === true;
    if (isDirectory) return 'directory';
    throw error;
  }
}

function buildOutputRecord<T extends { readonly path: string }>(
  outputs: readonly T[],
  hashesOf: (output: T) => string[],
): OutputRecord {
  const entries = outputs.map((output) => [output.path, hashesOf(output)] as const);
  return Object.fromEntries(entries.filter(([, hashes]) => hashes.length > 0));
}
