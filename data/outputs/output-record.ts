import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { findJson, sealJson } from '../store/stored-json';
import { createFolderStore, type Store } from '../store/store';

/*
 * The record of what a run wrote into its folder: `.cupid/outputs.json`. It is in the folder like the outputs, also when the run's store is
 * on object storage.
 */

/** A path inside the run folder. The folder may come from someone else, and its record must not make us remove files elsewhere. */
const outputPathSchema = z
  .string()
  .refine(
    (path) => !isAbsolute(path) && !path.split('/').includes('..'),
    'expected a path inside the run folder',
  );

const recordSchema = z.object({ files: z.record(outputPathSchema, z.array(z.string())) });

/** SHA-256 of the outputs as the run last wrote them, by path; two while one is being replaced. A card's is without its license. */
export type OutputRecord = z.infer<typeof recordSchema>['files'];

/** Reads the hashes of a run's outputs; none if nothing was written. @throws Error when the record is damaged */
export async function readOutputRecord(folder: string): Promise<OutputRecord> {
  return (await findJson(recordSchema, openInner(folder), RECORD, REMEDY))?.files ?? {};
}

export async function writeOutputRecord(folder: string, files: OutputRecord): Promise<void> {
  const text = sealJson({ files });
  const store = openInner(folder);
  if (text !== (await store.read(RECORD))) await store.write(RECORD, text);
}

function openInner(folder: string): Store {
  return createFolderStore(join(folder, '.cupid'), folder);
}

export const RECORD = 'outputs.json';
const REMEDY =
  'Delete it and repeat the command. Output files that are out of date then count as yours and are not replaced: delete them, too.';
