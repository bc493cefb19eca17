import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  forgetDirectory,
  listDirectory,
  openFile,
  readBlocks,
  readTextBlocks,
  readTextIfThere,
  removeFile,
  requireDirectories,
  requireInPlace,
  requireRegularFile,
} from './own-file';
import { getErrorCode, ignoreMissing, isMissing, withFileName } from './system-error';

/**
 * Storage of a run's inputs, journal and results: names like `records/000017.json` to bytes. Writes are atomic, idempotent, and durable
 * when they return.
 */
export interface Store {
  read(name: string): Promise<string | undefined>;
  /**
   * Reads a possibly long text in blocks, so that other work is not blocked. Yields nothing if there is no such name.
   * @param order `early` for a reader that needs only the first blocks: object storage sends these before their checksum
   */
  blocks(name: string, order?: 'early'): AsyncIterable<string>;
  write(name: string, text: string): Promise<void>;
  /** Writes unless the name exists, also against concurrent writers; false if it did. */
  create(name: string, text: string): Promise<boolean>;
  /** Appends to the text under this name, in one piece; survives the death of the process, but not a power cut. */
  append(name: string, text: string): Promise<void>;
  /** @param within the folder above the file that the user named; absent for a file of this program */
  put(name: string, localFile: string, within?: string): Promise<void>;
  /** Writes the content under this name to a local file, atomically. @param within as for `put` */
  fetch(name: string, localFile: string, within?: string): Promise<void>;
  /** Renames, replacing an existing name; does nothing if there is nothing to move. */
  move(from: string, to: string): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
  /** Lists the names directly under a folder, sorted, each with the folder; empty if there is no such folder. */
  list(folder: string): Promise<string[]>;
  /** Lists all names below a folder, in no order; of the whole store for ''. */
  all(folder: string): AsyncIterable<string>;
}

/**
 * Creates a store in a folder of the file system, which is made by the first write.
 * @param within the folder above it that the user named
 */
export function createFolderStore(root: string, within = root): Store {
  const appended = new Map<string, AppendedFile>();
  return {
    async read(name) {
      const text = await readTextIfThere(join(root, name), within);
      if (text === undefined) requireInPlace(root);
      return text;
    },
    async *blocks(name) {
      try {
        yield* readTextBlocks(join(root, name), within);
      } catch (error) {
        ignoreMissingIn(root)(error);
      }
    },
    write: (name, text) => writeAtomically(join(root, name), text, within),
    create: (name, text) => createAtomically(join(root, name), text, within),
    append(name, text) {
      const file = appended.get(name) ?? new AppendedFile(join(root, name), within);
      appended.set(name, file);
      return file.append(text);
    },
    put: (name, localFile, itsFolder) => copyAtomically(localFile, itsFolder, join(root, name), within),
    fetch: (name, localFile, itsFolder) => copyAtomically(join(root, name), within, localFile, itsFolder),
    async move(from, to) {
      try {
        await requireDirectories(dirname(join(root, from)), within);
        await makeDurableFolder(dirname(join(root, to)), { within });
        await rename(join(root, from), join(root, to));
      } catch (error) {
        ignoreMissingIn(root)(error);
        return;
      }
      for (const name of [to, from]) await syncPath(dirname(join(root, name)));
    },
    async remove(names) {
      for (const name of names) await removeFile(join(root, name), within);
      // Only empty folders; another process may be writing to one.
      const folders = new Set(names.map((name) => dirname(join(root, name))));
      for (const folder of folders) {
        forgetDirectory(folder, within);
        await rmdir(folder).catch(() => undefined);
      }
    },
    async list(folder) {
      const entries = (await listDirectory(join(root, folder), within).catch(ignoreMissingIn(root))) ?? [];
      return entries
        .filter((entry) => !entry.name.startsWith(TEMPORARY))
        .map((entry) => `${folder}/${entry.name}`)
        .toSorted();
    },
    all: (folder) => listBelow(root, within, folder),
  };
}

async function* listBelow(root: string, within: string, folder: string): AsyncGenerator<string> {
  const entries = await listDirectory(join(root, folder), within).catch(ignoreMissingIn(root));
  for (const entry of entries ?? []) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* listBelow(root, within, name);
    else if (!entry.name.startsWith(TEMPORARY)) yield name;
  }
}

/** Creates an `ignoreMissing` that throws if the store's folder was moved. */
function ignoreMissingIn(root: string): (error: unknown) => undefined {
  return (error) => {
    ignoreMissing(error);
    requireInPlace(root);
  };
}

/** A file that stays open between appends, because a ledger gets two lines for each call. */
class AppendedFile {
  #handle: Promise<FileHandle> | undefined;
  #writing = 0;
  #closing: NodeJS.Timeout | undefined;

  constructor(
    private readonly file: string,
    private readonly within: string,
  ) {}

  async append(text: string): Promise<void> {
    clearTimeout(this.#closing);
    this.#writing += 1;
    try {
      this.#handle ??= writeInFolder(dirname(this.file), this.within, () =>
        openFile(this.file, this.within, 'append'),
      );
      await (await this.#handle).appendFile(text);
    } catch (error) {
      // A failed open is tried again the next time.
      this.#close();
      throw withFileName(error, this.file);
    } finally {
      this.#writing -= 1;
      if (this.#writing === 0) this.#closing = setTimeout(() => this.#close(), IDLE_MS).unref();
    }
  }

  #close(): void {
    const handle = this.#handle;
    this.#handle = undefined;
    handle?.then((opened) => opened.close()).catch(() => undefined);
  }
}

/** Time without an append after which the file is closed. */
const IDLE_MS = 1_000;

/** Writes a file so that a reader, or a crash at any moment, sees the old content or the new, never a part. */
export async function writeAtomically(file: string, text: string, within?: string): Promise<void> {
  await replaceAtomically(file, (temporary) => writeSynced(temporary, text), within);
}

/** Writes a file and syncs it to disk. @param flag `wx` for a file that must not exist */
export async function writeSynced(
  file: string,
  content: string | AsyncIterable<Uint8Array>,
  flag: 'w' | 'wx' = 'w',
): Promise<void> {
  const handle = await open(file, flag);
  try {
    const chunks = typeof content === 'string' ? [content] : content;
    for await (const chunk of chunks) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function createAtomically(file: string, text: string, within: string): Promise<boolean> {
  const folder = dirname(file);
  const temporary = join(folder, `${TEMPORARY}${randomUUID()}`);
  await requireDirectories(folder, within);
  try {
    await writeInFolder(folder, within, () => writeSynced(temporary, text));
    await linkFile(temporary, file);
    await unlink(temporary);
  } catch (error) {
    await rm(temporary, { force: true });
    if (getErrorCode(error) !== 'EEXIST') throw withFileName(error, file);
    // Its writer may not have synced it yet.
    await syncPath(folder);
    return false;
  }
  await syncPath(folder);
  return true;
}

/** Gives a file another name; fails if that name exists, whereas a rename would replace it. */
async function linkFile(file: string, name: string): Promise<void> {
  try {
    await link(file, name);
  } catch (error) {
    const code = getErrorCode(error) ?? '';
    if (!NO_LINKS.has(code)) throw error;
    throw Object.assign(
      new Error(
        `${name} cannot be created: its file system does not support hard links (${code}), as exFAT and FAT do not. Use a folder on a file system that supports them.`,
        { cause: error },
      ),
      { code },
    );
  }
}

/** The file was written in the same folder just before, so `EPERM` denies no permission. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Writes into a folder, and makes it if it is missing: checking first would cost each call of a run a system call. */
async function writeInFolder<T>(folder: string, within: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeDurableFolder(folder, { within });
    return write();
  }
}

/**
 * Writes a new file beside `file`, then moves it to its place; a failure leaves nothing behind. `fill` must have synced the bytes to disk
 * when it resolves.
 * @param within the folder above it that the user named; absent for a folder of this program, and for a file that the user named
 * @throws IrregularFile when something other than a regular file exists there, or a link leads to its folder
 */
export async function replaceAtomically<T>(
  file: string,
  fill: (temporary: string) => Promise<T>,
  within?: string,
): Promise<T> {
  const folder = dirname(file);
  await makeDurableFolder(folder, { within });
  if (within !== undefined) await requireRegularFile(file, within, 'read');
  const temporary = join(folder, `${TEMPORARY}${randomUUID()}`);
  try {
    const result = await fill(temporary);
    await rename(temporary, file);
    await syncPath(folder);
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw withFileName(error, file);
  }
}

/** Removes temporary files that a crash left in a folder. No other process may be writing there. */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(TEMPORARY));
  for (const name of names) await rm(join(folder, name), { force: true });
}

/** Prefix of temporary files, which are not part of the store. */
const TEMPORARY = '.writing-';

async function copyAtomically(
  from: string,
  fromWithin: string | undefined,
  to: string,
  toWithin: string | undefined,
): Promise<void> {
  await replaceAtomically(to, (temporary) => copyFile(from, fromWithin, temporary), toWithin);
}

/** Copies a regular file into a new one, and syncs it to disk. */
export async function copyFile(from: string, within: string | undefined, to: string): Promise<void> {
  await writeSynced(to, readBlocks(from, within, COPIED_BYTES), 'wx');
}

const COPIED_BYTES = 1024 * 1024;

/**
 * Makes a folder and its missing ancestors, and syncs all of them to disk: a file is only as durable as the names that lead to it. Returns
 * the uppermost new folder; undefined if all existed.
 * @param options.mode of each new folder, before the process's mask
 * @param options.within the folder above it that the user named
 * @throws IrregularFile when a link leads to it, FolderMoved when it is in a locked folder that is no longer there
 */
export async function makeDurableFolder(
  folder: string,
  { mode = 0o777, within }: { readonly mode?: number; readonly within?: string | undefined } = {},
): Promise<string | undefined> {
  if (within !== undefined) await requireDirectories(folder, within);
  requireInPlace(folder);
  if (await isDirectoryAt(folder)) return undefined;
  const newFolders = await makeFolders(folder, mode);
  for (const newFolder of newFolders.toReversed()) await syncPath(dirname(newFolder));
  return newFolders[0];
}

/**
 * Makes a folder and its missing ancestors, and returns the new ones, uppermost first. The recursive `mkdir` of Node.js 20 never ends below
 * /proc, where folders cannot be created.
 */
async function makeFolders(folder: string, mode: number): Promise<string[]> {
  const parent = dirname(folder);
  const newFolders = parent === folder || (await findStats(parent)) ? [] : await makeFolders(parent, mode);
  try {
    await mkdir(folder, { mode });
    return [...newFolders, folder];
  } catch (error) {
    // Another process may have made it meanwhile.
    if (getErrorCode(error) === 'EEXIST' && (await isDirectoryAt(folder))) return newFolders;
    throw error;
  }
}

async function isDirectoryAt(path: string): Promise<boolean> {
  const stats = await findStats(path);
  return stats?.isDirectory() === true;
}

async function findStats(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}

/**
 * Syncs a file, or a folder itself, to disk: a rename is durable only once its folder is. Otherwise a power cut could lose a paid answer.
 */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
