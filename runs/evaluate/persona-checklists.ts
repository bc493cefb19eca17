import { dirname, join } from 'node:path';
import { readRecords } from '../../data/sets/read';
import type { DataSet } from '../../data/sets/data-set';
import { hasFolder } from '../../data/folders/folder';
import { openData, type OpenOptions } from '../../data/sets/open';
import { findRunFolderAbove } from '../../data/folders/run-folders';
import type { RecordForm } from '../../schemas/dataset/record';

/** Checklist of each preference, by persona. */
export type PersonaChecklists = ReadonlyMap<string, Record<string, string[]>>;

/**
 * Reads the checklists of all preferences from the records beside a run's instances, which have those of the current preferences only.
 * Empty for a data set without such records.
 */
export async function readPersonaChecklists(
  dataSet: DataSet,
  options: OpenOptions,
): Promise<PersonaChecklists> {
  const checklists = new Map<string, Record<string, string[]>>();
  for await (const { persona_id, sessions } of readRunRecords(dataSet, options)) {
    checklists.set(
      persona_id,
      Object.fromEntries(sessions.map(({ preference, checklist }) => [preference, checklist])),
    );
  }
  return checklists;
}

/** Reads the records beside a run's instances. None for a data set without them. */
export async function* readRunRecords(
  { commit, files: [file] }: DataSet,
  options: OpenOptions,
): AsyncGenerator<RecordForm> {
  const run = commit !== undefined || file === undefined ? undefined : findRunFolderAbove(dirname(file.path));
  const records = run === undefined ? undefined : join(run, 'CUPID-Raw');
  if (records === undefined || !(await hasFolder(records, run))) return;
  yield* readRecords(await openData(records, options));
}
