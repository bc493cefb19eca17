import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readBytes } from '../../data/store/own-file';
import { ignoreMissing } from '../../data/store/system-error';

/**
 * Reads the key that signs everything on an engine from a file beside its database, which only this user can read. Undefined if there is
 * none.
 */
export async function readEngineKey(folder: string): Promise<KeyObject | undefined> {
  const bytes = await readBytes(join(folder, KEY_FILE), folder).catch(ignoreMissing);
  return bytes?.length === KEY_BYTES ? createSecretKey(bytes) : undefined;
}

/** Writes a new key. Only for an engine without a database, because the values of a database are signed with its key. */
export async function writeEngineKey(folder: string): Promise<void> {
  const file = await open(join(folder, KEY_FILE), 'wx', 0o600);
  try {
    await file.writeFile(randomBytes(KEY_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function removeEngineKey(folder: string): Promise<void> {
  await rm(join(folder, KEY_FILE), { force: true });
}

const KEY_FILE = 'key';
const KEY_BYTES = 32;
