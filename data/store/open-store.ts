import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../schemas/text/issues';
import { InputError } from '../../schemas/input-error';
import { PLANS, requireFolderFormat } from './folder-format';
import { parseS3Location, S3_LOCATION_FORM } from './s3-location';
import { readTextIfThereSync, removeFile } from './own-file';
import { createFolderStore, writeAtomically, type Store } from './store';

/**
 * Opens the store of the run in a folder: its `.cupid`, or the place on S3-compatible storage that `.cupid/store.json`
 * names.
 * @throws Error when its run was made by an unreleased or a newer version, StoreError when the storage cannot be read
 */
export async function openRunStore(folder: string): Promise<Store> {
  const location = readStoreLocation(folder);
  if (location !== undefined) return openStoreAt(location);
  return checkFormat(createFolderStore(join(folder, '.cupid'), folder), folder);
}

/**
 * Opens the store at a location such as `s3://bucket/run`.
 * @throws InputError when the location is invalid, Error when its run was made by an unreleased or a newer version, StoreError when the
 * storage cannot be read
 */
export async function openStoreAt(location: string): Promise<Store> {
  const place = parseS3Location(location);
  if (place === undefined) throw new InputError(`${location} is not a store. Expected ${S3_LOCATION_FORM}.`);
  // Loaded late, because Amazon's client is large, and most runs are in folders.
  const { createS3Store } = await import('./s3-store.js');
  return checkFormat(createS3Store(place), location);
}

async function checkFormat(store: Store, place: string): Promise<Store> {
  for (const plan of Object.values(PLANS)) requireFolderFormat(place, await store.read(plan));
  return store;
}

/**
 * Checks that objects at a location can be listed with the environment's credentials.
 * @throws InputError or StoreError when they cannot
 */
export async function checkStoreAt(location: string): Promise<void> {
  await (await openStoreAt(location)).all('')[Symbol.asyncIterator]().next();
}

/** Reads the location of a run's store, such as `s3://bucket/cupid-1a2b3c4d`; undefined if it is the folder's own `.cupid`. */
export function readStoreLocation(folder: string): string | undefined {
  const file = join(folder, '.cupid', POINTER);
  const text = readTextIfThereSync(file, folder);
  if (text === undefined) return undefined;
  const { value, problem } = parseJson(pointerSchema, POINTER, text);
  if (problem === undefined) return value.store;
  throw new InputError(
    `${file} does not name a store:\n${problem}\nCorrect it, or fetch the run again with cupid pull.`,
  );
}

/** Stores the location where the run of a folder is kept. */
export async function writeStoreLocation(folder: string, location: string): Promise<void> {
  await writeAtomically(join(folder, '.cupid', POINTER), `${JSON.stringify({ store: location })}\n`, folder);
}

export async function removeStoreLocation(folder: string): Promise<void> {
  await removeFile(join(folder, '.cupid', POINTER), folder);
}

const POINTER = 'store.json';

const pointerSchema = z.object({
  store: z.string().refine((text) => parseS3Location(text) !== undefined, `expected ${S3_LOCATION_FORM}`),
});
