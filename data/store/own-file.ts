import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { lstat, open, readdir, realpath, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { formatNumber } from '../../schemas/text/count-text';
import { DataError } from './data-error';
import { FolderMoved, ignoreMissing, isMissing } from './system-error';

/*
 * A folder that a user names may come from somebody else: a link in it may lead to any file of the user, a FIFO may have no writer, and a
 * device no end. All files in run folders, reviews and data sets are therefore opened here. `within` is the folder as the user named it:
 * links may lead to it, but none below it is followed. It is undefined for a file that the user named, which may be the user's own link.
 *
 * This is no protection against someone who can write to the folder while a command runs: they can also change its input.
 */

/** A path is not the regular file or directory that it should be. The message says what it is and what to do. */
export class IrregularFile extends DataError {
  override readonly name = 'IrregularFile';
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Flags that never change a file before it is checked. */
const FLAGS = {
  read: O_RDONLY,
  /** Created if missing. */
  append: O_WRONLY | O_CREAT | O_APPEND,
  /** Readable and writable; created if missing. */
  update: O_RDWR | O_CREAT | O_APPEND,
} as const;

type OpenPurpose = keyof typeof FLAGS;

/**
 * Opens a regular file.
 * @throws IrregularFile when it is anything else; the system's error when there is none, or it cannot be opened
 */
export async function openFile(
  path: string,
  within: string | undefined,
  purpose: OpenPurpose = 'read',
): Promise<FileHandle> {
  return (await openChecked(path, within, purpose)).handle;
}

async function openChecked(
  path: string,
  within: string | undefined,
  purpose: OpenPurpose,
): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
  const isReachable = within === undefined || (await requireDirectories(dirname(path), within));
  if (!isReachable && purpose === 'read') throw createMissing(path);
  const flags = getFlags(purpose, within);
  let handle: FileHandle;
  try {
    handle = await open(path, flags);
  } catch (error) {
    // No link and no FIFO to name. A journal is asked for each call before it is made, so this is frequent.
    if (isMissing(error)) throw error;
    const blob = purpose === 'read' && within !== undefined ? await findHubBlob(path, within) : undefined;
    if (blob === undefined) throw (await findIrregularity(path, within, purpose)) ?? error;
    handle = await open(blob, flags);
  }
  try {
    const stats = await handle.stat();
    requireRegular(path, within, stats, purpose);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a regular file like `openFile`, and returns its descriptor synchronously. @param mode of a new file */
export function openFileSync(path: string, within: string, purpose: OpenPurpose, mode = 0o666): number {
  for (const directory of listUnchecked(dirname(path), within)) {
    const stats = lstatSync(directory, { throwIfNoEntry: false });
    if (stats === undefined) break;
    requireDirectory(directory, within, stats);
  }
  let descriptor: number;
  try {
    descriptor = openSync(path, getFlags(purpose, within), mode);
  } catch (error) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) requireRegular(path, within, stats, purpose);
    throw error;
  }
  try {
    requireRegular(path, within, fstatSync(descriptor), purpose);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads a regular file of at most 256 MB. @throws IrregularFile; the system's error when there is none */
export async function readText(path: string, within: string | undefined): Promise<string> {
  return (await readBytes(path, within)).toString('utf8');
}

/** @param maxBytes maximum size in bytes */
export async function readBytes(
  path: string,
  within: string | undefined,
  maxBytes = MOST_BYTES,
): Promise<Buffer> {
  const { handle, stats } = await openChecked(path, within, 'read');
  try {
    requireSize(path, stats, maxBytes);
    return await readWhole(handle, stats.size);
  } finally {
    await handle.close();
  }
}

/** Reads a file of known size. Node.js would ask for the size again, and for more after the end. */
async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    // It was cut off meanwhile.
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Reads the text of a regular file of at most 256 MB; undefined if there is none. */
export async function readTextIfThere(path: string, within: string | undefined): Promise<string | undefined> {
  return readText(path, within).catch(ignoreMissing);
}

/** Opens a regular file to read it; undefined if there is none. */
export function openIfThereSync(path: string, within: string): number | undefined {
  try {
    return openFileSync(path, within, 'read');
  } catch (error) {
    return ignoreMissing(error);
  }
}

export function readTextIfThereSync(path: string, within: string): string | undefined {
  const descriptor = openIfThereSync(path, within);
  if (descriptor === undefined) return undefined;
  try {
    requireSize(path, fstatSync(descriptor), MOST_BYTES);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Maximum size of a file that is read as a whole. A history of Temporal has at most 50 MB, the results of an evaluation
 * less.
 */
const MOST_BYTES = 256 * 1024 * 1024;

/** Reads a regular file in blocks. @throws IrregularFile; the system's error when there is none */
export async function* readBlocks(
  path: string,
  within: string | undefined,
  blockBytes = 64 * 1024,
): AsyncGenerator<Buffer> {
  const handle = await openFile(path, within);
  const blocks: AsyncIterable<Buffer> = handle.createReadStream({ highWaterMark: blockBytes });
  yield* blocks;
}

/** Reads a regular file in blocks of text. */
export async function* readTextBlocks(path: string, within: string | undefined): AsyncGenerator<string> {
  const handle = await openFile(path, within);
  const blocks: AsyncIterable<string> = handle.createReadStream({ encoding: 'utf8' });
  yield* blocks;
}

/** Lists a directory. @throws IrregularFile if it is a link or not a directory; the system's error if there is none */
export async function listDirectory(path: string, within: string): Promise<Dirent[]> {
  await requireDirectories(path, within);
  return readdir(path, { withFileTypes: true });
}

/**
 * Finds the file or directory at a path; undefined if there is none.
 * @throws IrregularFile when it is neither a regular file nor a directory
 */
export async function findEntry(path: string, within: string | undefined): Promise<Stats | undefined> {
  if (within !== undefined) await requireDirectories(dirname(path), within);
  const stats = await (within === undefined ? stat(path) : lstat(path)).catch(ignoreMissing);
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return stats;
  const blob = within === undefined ? undefined : await findHubBlob(path, within);
  if (blob === undefined) throw createIrregularity(path, within, stats, 'a regular file');
  return stat(blob);
}

/**
 * Checks the existing directories from `within` to this one. Returns false if one is missing.
 * @throws IrregularFile when one is neither directory nor file, or a link
 */
export async function requireDirectories(directory: string, within: string): Promise<boolean> {
  for (const path of listUnchecked(directory, within)) {
    const stats = await lstat(path).catch(ignoreMissing);
    if (stats === undefined) return false;
    requireDirectory(path, within, stats);
  }
  return true;
}

/** Creates the error that the system would return for a file in a missing directory, without asking it. */
function createMissing(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), {
    code: 'ENOENT',
    syscall: 'open',
    path,
  });
}

/** Folders that this process has locked, from `trackLockedFolder` until the lock is released. */
const lockedFolders = new Map<string, LockedFolder>();

interface LockedFolder {
  /** Directories below it that were checked. */
  readonly checked: Set<string>;
  readonly lockFile: string;
  /** The lock file when it was locked. This process has it open, so no other file gets its number. */
  readonly lock: Stats;
}

/**
 * Checks each directory below a folder only once until the returned function is called, because a run opens files for each of its calls. Only
 * the holder of the folder's lock may call this, so no two runs of a process share what was checked. Links in a folder from somebody else are
 * there before its first use. A process that can replace a directory by one later could also do so between a check and the opening of a file.
 * Until then, `requireInPlace` also notices when the folder is moved.
 */
export function trackLockedFolder(within: string, lockFile: string): () => void {
  lockedFolders.set(within, { checked: new Set(), lockFile, lock: lstatSync(lockFile) });
  return () => lockedFolders.delete(within);
}

/**
 * Checks that the locked folder with this path, if there is one, was not moved: what is missing may exist at its new path. Making it again
 * would split the run, and repeat calls that are paid for.
 * @throws FolderMoved
 */
export function requireInPlace(path: string): void {
  for (const [folder, { lockFile, lock }] of lockedFolders) {
    if (path !== folder && !path.startsWith(`${folder}${sep}`)) continue;
    const current = lstatSync(lockFile, { throwIfNoEntry: false });
    if (current?.ino !== lock.ino || current.dev !== lock.dev) throw new FolderMoved(folder, lockFile);
  }
}

/** Checks a directory again when it is next used, because this process removes it. */
export function forgetDirectory(directory: string, within: string): void {
  lockedFolders.get(within)?.checked.delete(directory);
}

/**
 * Checks a file, if there is one, before it is replaced (as for reading) or opened by another program.
 * @throws IrregularFile
 */
export async function requireRegularFile(path: string, within: string, purpose: OpenPurpose): Promise<void> {
  await requireDirectories(dirname(path), within);
  const error = await findIrregularity(path, within, purpose);
  if (error !== undefined) throw error;
}

/** Removes a file, or a link itself; does nothing if there is none. @throws IrregularFile when a link leads to its directory */
export async function removeFile(path: string, within: string): Promise<void> {
  await requireDirectories(dirname(path), within);
  // A pack removes the file of each of its calls, and `rm` would look at each twice before it.
  await unlink(path).catch(ignoreMissing);
}

/** Lists the directories from below `within` that are not checked yet: `within/a` and `within/a/b` for `within/a/b`. */
function listUnchecked(directory: string, within: string): string[] {
  const checked = lockedFolders.get(within)?.checked;
  if (checked?.has(directory) === true) return [];
  const names = relative(within, directory).split(sep);
  if (names[0] === '' || names[0] === '..') return [];
  const directories = names.map((_, at) => join(within, ...names.slice(0, at + 1)));
  return checked === undefined ? directories : directories.filter((path) => !checked.has(path));
}

function getFlags(purpose: OpenPurpose, within: string | undefined): number {
  // O_NONBLOCK, because opening a FIFO otherwise waits for a writer.
  return FLAGS[purpose] | O_NONBLOCK | (within === undefined ? 0 : O_NOFOLLOW);
}

async function findIrregularity(
  path: string,
  within: string | undefined,
  purpose: OpenPurpose,
): Promise<IrregularFile | undefined> {
  const stats = await (within === undefined ? stat(path) : lstat(path)).catch(() => undefined);
  try {
    if (stats !== undefined) requireRegular(path, within, stats, purpose);
    return undefined;
  } catch (error) {
    if (error instanceof IrregularFile) return error;
    throw error;
  }
}

function requireRegular(path: string, within: string | undefined, stats: Stats, purpose: OpenPurpose): void {
  if (!stats.isFile()) throw createIrregularity(path, within, stats, 'a regular file');
  // A file that is only read may have several links: backups share unchanged files.
  if (purpose === 'read' || stats.nlink <= 1) return;
  throw new IrregularFile(
    `${path} has ${stats.nlink} names (hard links), and writing to it would change all of them. Nothing was written. Replace it with a copy of itself: cp ${path} ${path}.copy && mv ${path}.copy ${path}`,
  );
}

function requireDirectory(path: string, within: string, stats: Stats): void {
  if (stats.isDirectory()) lockedFolders.get(within)?.checked.add(path);
  // Nothing can exist below a file.
  if (stats.isDirectory() || stats.isFile()) return;
  throw createIrregularity(path, within, stats, 'a directory');
}

function requireSize(path: string, { size }: Stats, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new IrregularFile(
    `${path} has ${formatNumber(size)} bytes, but such a file has at most ${formatNumber(maxBytes)}. Restore it from a copy, or delete it.`,
  );
}

function createIrregularity(
  path: string,
  within: string | undefined,
  stats: Stats,
  expected: string,
): IrregularFile {
  if (within === undefined) {
    return new IrregularFile(`${path} is ${describeEntry(stats)}. Expected ${expected}. Name another one.`);
  }
  const reason = stats.isSymbolicLink() ? ', because a link could lead to any file of this machine' : '';
  return new IrregularFile(
    `${path} is ${describeEntry(stats)}. Expected ${expected}${reason}. It was not opened. Replace it with ${expected} or delete it. If ${within} is from somebody else, check it before you use it.`,
  );
}

function describeEntry(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a FIFO (named pipe)';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/**
 * Finds the content of a file in the cache of the Hub's tools, where snapshots link to `blobs` beside them; undefined for everything else.
 */
async function findHubBlob(path: string, within: string): Promise<string | undefined> {
  const [snapshot, blob] = await Promise.all([realpath(within), realpath(path)]).catch(() => ['', '']);
  const { repository } = HUB_SNAPSHOT.exec(snapshot)?.groups ?? {};
  return repository !== undefined && dirname(blob) === join(repository, 'blobs') ? blob : undefined;
}

const HUB_SNAPSHOT = /^(?<repository>.*\/(?:datasets|models|spaces)--[^/]+)\/snapshots\/[0-9a-f]{40}(?:\/|$)/;
