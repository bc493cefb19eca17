import { join } from 'node:path';
import { readStoreLocation } from '../../data/store/open-store';
import { readTextIfThere, removeFile } from '../../data/store/own-file';
import { writeAtomically } from '../../data/store/store';
import { RunFolderError } from './run-folder-error';

/** Marks a folder's run as a copy of one that may be in progress, because both would make and pay for the same calls. */
export async function markCopy(path: string, location: string): Promise<void> {
  await writeAtomically(getMark(path), `${location}\n`, path);
}

export async function unmarkCopy(path: string): Promise<void> {
  await removeFile(getMark(path), path);
}

/**
 * Checks that the run of a folder is no copy of one in progress.
 * @param name of the folder, as the user gave it
 * @throws RunFolderError that says where the original is
 */
export async function requireNoCopy(path: string, name: string): Promise<void> {
  const location = await readCopyMark(path);
  if (location === undefined) return;
  throw new RunFolderError(
    `${name} is a copy of the run at ${location}, which was in progress when it was copied, or was not copied completely. If both are continued, the same calls are paid for twice. ` +
      `Continue the run itself: name another folder, and --store ${location}. Or, once it has finished, copy it again: cupid pull ${location} ${name}. Only when no command and no worker will continue that one, delete ${name}/.cupid/${MARK} and repeat this command.`,
  );
}

/** Returns the location of the original if the folder has a copy of a run in progress; else undefined. */
export async function readCopyMark(path: string): Promise<string | undefined> {
  // A folder that uses the storage has the run itself, even after a failed copy.
  if (readStoreLocation(path) !== undefined) return undefined;
  return (await readTextIfThere(getMark(path), path))?.trim();
}

function getMark(path: string): string {
  return join(path, '.cupid', MARK);
}

/** File of the mark, in `.cupid`. */
export const MARK = 'copy-of';
