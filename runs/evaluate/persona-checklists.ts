import { dirname, join } from 'node:path';
import { readRecords } from '../../data/readers/read';
import type { DataSet } from '../../data/sets/data-set';
import { hasFolder } from '../../data/sets/folder';
import { openData, type OpenOptions } from '../../data/sets/open';
import { findRunFolderAbove } from '../../data/sets/run-folders';

/** Checklist of each preference, by persona. */
export type PersonaChecklists = ReadonlyMap<string, Record<string, string[]>>;

/**
 * Reads the checklists of all preferences from the records beside a run's instances, which have those of the current preferences only.
 * Empty for a data set without such records.
 */
export async function readPersonaChecklists(
  { commit, files: [file] }: DataSet,
  options: OpenOptions,
): Promise<PersonaChecklists> {
  const checklists = new Map<string, Record<string, string[]>>();
  const run = commit !== undefined || file === undefined ? undefined : findRunFolderAbove(dirname(file.path));
  const records = run === undefined ? undefined : join(run, 'CUPID-Raw');
  if (records === undefined || !(await hasFolder(records, run))) return checklists;
  for await (const { persona_id, sessions } of readRecords(await openData(records, options))) {
    checklists.set(
      persona_id,
      Object.fromEntries(sessions.map(({ preference, checklist }) => [preference, checklist])),
    );
  }
  return checklists;
}
