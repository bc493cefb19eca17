import type { Dirent, Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { findEntry, IrregularFile, listDirectory, readBytes, readTextIfThere } from '../store/own-file';
import { isMissing } from '../store/system-error';
import { type Card, readCard } from '../card/read';
import { createReadError, DataError } from '../store/data-error';

/** Lists the files of a folder and of its direct subfolders, as sorted relative paths with `/`; leaves out hidden ones. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await listEntries(folder, folder);
  const below = await Promise.all(
    entries.filter(isFolder).map(async ({ name }) => {
      const innerEntries = await listEntries(join(folder, name), folder);
      return innerEntries.filter((entry) => !isFolder(entry)).map((entry) => `${name}/${entry.name}`);
    }),
  );
  const files = entries.filter((entry) => !isFolder(entry)).map(({ name }) => name);
  return [...files, ...below.flat()].toSorted();
}

/**
 * Finds the file or directory at a path that the user named; undefined if there is none.
 * @throws DataError when it cannot be read, or is neither file nor folder
 */
export async function findStat(path: string): Promise<Stats | undefined> {
  try {
    return await findEntry(path, undefined);
  } catch (error) {
    throw createReadError(path, error);
  }
}

/** Reads a text file of a folder; undefined if there is none. @throws DataError when it cannot be read */
export async function findText(path: string): Promise<string | undefined> {
  try {
    return await readTextIfThere(path, dirname(path));
  } catch (error) {
    throw createReadError(path, error);
  }
}

/** Returns whether a folder has this file. @throws IrregularFile when it is a link, for example */
export async function hasFile(path: string): Promise<boolean> {
  return (await findReadable(path, dirname(path)))?.isFile() === true;
}

/**
 * Returns whether a folder exists.
 * @param within the folder above it that the user named; absent for a folder that the user named
 * @throws IrregularFile when it is below `within` and a link, for example
 */
export async function hasFolder(path: string, within?: string): Promise<boolean> {
  return (await findReadable(path, within))?.isDirectory() === true;
}

async function findReadable(path: string, within: string | undefined): Promise<Stats | undefined> {
  try {
    return await findEntry(path, within);
  } catch (error) {
    if (error instanceof IrregularFile) throw error;
    return undefined;
  }
}

export async function findCard(folder: string): Promise<Card | undefined> {
  const text = await readCardText(join(folder, CARD));
  return text === undefined ? undefined : readCard(text);
}

/**
 * Reads the text of a card; undefined if there is none.
 * @param name its name in messages
 * @throws DataError when it cannot be read, or is too large for a card
 */
export async function readCardText(path: string, name = path): Promise<string | undefined> {
  try {
    const { size = 0 } = (await findEntry(path, dirname(path))) ?? {};
    if (size > MAX_CARD_BYTES) {
      throw new DataError(
        `${name} has ${(size / 1e6).toFixed(1)} MB, and a card may have at most 1 MB. Move the rest of its text elsewhere.`,
      );
    }
    return (await readBytes(path, dirname(path), MAX_CARD_BYTES)).toString('utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw createReadError(name, error);
  }
}

/** Limits foreign cards, because YAML takes far more memory than its text. */
const MAX_CARD_BYTES = 1_000_000;

export const CARD = 'README.md';

async function listEntries(folder: string, within: string): Promise<Dirent[]> {
  try {
    const entries = await listDirectory(folder, within);
    return entries.filter(({ name }) => !name.startsWith('.'));
  } catch (error) {
    throw createReadError(folder, error);
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory();
}
