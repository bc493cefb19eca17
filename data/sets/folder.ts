import type { Dirent, Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorCode, isMissing } from '../store/system-error';
import { type Card, readCard } from '../card/read';
import { createReadError, DataError } from './error';

/** The files of a folder and of the folders directly below it, as paths from it with `/`, sorted; hidden ones left out. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await listEntries(folder);
  const below = await Promise.all(
    entries.filter(isFolder).map(async ({ name }) => {
      const inner = await listEntries(join(folder, name));
      return inner.filter((entry) => !isFolder(entry)).map((entry) => `${name}/${entry.name}`);
    }),
  );
  const files = entries.filter((entry) => !isFolder(entry)).map(({ name }) => name);
  return [...files, ...below.flat()].toSorted();
}

/** What stands at a path; undefined when nothing does. @throws DataError when it cannot be read */
export async function findStat(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw createReadError(path, error);
  }
}

/** The text of a file; undefined when there is none. @throws DataError when it cannot be read */
export async function findText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw createReadError(path, error);
  }
}

export async function hasFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true;
}

export async function hasFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

export async function findCard(folder: string): Promise<Card | undefined> {
  const text = await readCardText(join(folder, CARD));
  return text === undefined ? undefined : readCard(text);
}

/**
 * The text of a card; undefined when there is none.
 * @param name names it in messages
 * @throws DataError when it cannot be read, or is too large for a card
 */
export async function readCardText(path: string, name = path): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_CARD_BYTES) {
      throw new DataError(
        `${name} has ${(size / 1e6).toFixed(1)} MB, and a card may have at most 1 MB. Move the rest of its text elsewhere.`,
      );
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof DataError) throw error;
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw createReadError(name, error);
  }
}

/** Cards are foreign input, and YAML takes far more memory than its text. */
const MAX_CARD_BYTES = 1_000_000;

export const CARD = 'README.md';

async function listEntries(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.'));
  } catch (error) {
    throw createReadError(folder, error);
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory();
}
