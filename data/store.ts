import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, copyFile, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './error-code';

/**
 * Where a run keeps its inputs, its journal and what it made: names like `records/000017.json` to bytes.
 * Writes are atomic and durable when they return, and writing the same again is harmless.
 */
export interface Store {
  /** The text under this name; undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  /** The same in blocks, for what may be long: other work has its turn between them. None when there is nothing. */
  blocks(name: string): AsyncIterable<string>;
  write(name: string, text: string): Promise<void>;
  /** Writes unless something is there already, whoever else is writing; false when there was. */
  create(name: string, text: string): Promise<boolean>;
  /** Adds to the end of the text under this name, in one piece; survives the death of the process, not a power cut. */
  append(name: string, text: string): Promise<void>;
  /** Keeps a copy of a local file under this name. */
  put(name: string, localFile: string): Promise<void>;
  /** Writes what is under this name to a local file, atomically. */
  fetch(name: string, localFile: string): Promise<void>;
  /** Gives what is under a name another one, replacing what is there; harmless when there is nothing to move any more. */
  move(from: string, to: string): Promise<void>;
  /** The names directly under a folder, sorted, each with the folder; none when there is no such folder. */
  list(folder: string): Promise<string[]>;
}

/** A store in a folder of the file system, which is made when the first thing is written. */
export function folderStore(root: string): Store {
  return {
    async read(name) {
      try {
        return await readFile(join(root, name), 'utf8');
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async *blocks(name) {
      const blocks: AsyncIterable<string> = createReadStream(join(root, name), 'utf8');
      try {
        yield* blocks;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
    write: (name, text) => writeAtomically(join(root, name), text),
    create: (name, text) => createAtomically(join(root, name), text),
    async append(name, text) {
      const file = join(root, name);
      await makeFolder(dirname(file));
      await appendFile(file, text);
    },
    put: (name, localFile) => copyAtomically(localFile, join(root, name)),
    fetch: (name, localFile) => copyAtomically(join(root, name), localFile),
    async move(from, to) {
      try {
        await makeFolder(dirname(join(root, to)));
        await rename(join(root, from), join(root, to));
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      for (const name of [to, from]) await syncFolder(dirname(join(root, name)));
    },
    async list(folder) {
      try {
        const entries = await readdir(join(root, folder));
        return entries
          .filter((entry) => !entry.startsWith(TEMPORARY))
          .toSorted()
          .map((entry) => `${folder}/${entry}`);
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}

/** Writes a file so that a reader, or a crash at any moment, sees the old content or the new, never a part. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  await replaceAtomically(file, (temporary) => writeSynced(temporary, text));
}

/** Writes a file that is on disk when it resolves. */
export async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function createAtomically(file: string, text: string): Promise<boolean> {
  const folder = dirname(file);
  await makeFolder(folder);
  const temporary = join(folder, `${TEMPORARY}${randomUUID()}`);
  try {
    await writeSynced(temporary, text);
    // A link fails where a rename would replace.
    await link(temporary, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
    await syncFolder(folder);
  }
}

/**
 * Has a new file written beside `file`, then puts it in its place; on failure nothing is left behind.
 * `fill` must have the bytes on disk (fsync) when it resolves.
 */
export async function replaceAtomically<T>(
  file: string,
  fill: (temporary: string) => Promise<T>,
): Promise<T> {
  const folder = dirname(file);
  await makeFolder(folder);
  const temporary = join(folder, `${TEMPORARY}${randomUUID()}`);
  try {
    const result = await fill(temporary);
    await rename(temporary, file);
    await syncFolder(folder);
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes what a crash left of files that were being written into a folder. Nobody else may be writing there. */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(TEMPORARY));
  for (const name of names) await rm(join(folder, name), { force: true });
}

/** How temporary files begin: whatever a crash left of them is no part of the store. */
const TEMPORARY = '.writing-';

async function copyAtomically(from: string, to: string): Promise<void> {
  await replaceAtomically(to, async (temporary) => {
    await copyFile(from, temporary);
    const handle = await open(temporary, 'r+');
    await handle.sync();
    await handle.close();
  });
}

/**
 * Makes a folder, with those above it that are missing, and has all of them on disk: a file is only as durable as the names that lead
 * to it.
 * @param mode of each new folder, before the process's mask
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  // Each stands in the one above it, up to the one that was there.
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

/** Has the folder itself on disk: a rename is durable only once it is. Without this, a power cut could take back a paid answer. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
