import { dirname, join } from 'node:path';
import { RUN_OUTPUT } from '../../data/folders/choose';
import { requireAsWritten } from '../../data/outputs/as-written';
import { hasFile } from '../../data/folders/folder';
import { requireDirectories } from '../../data/store/own-file';
import { hashFile } from '../../data/store/files';
import type { RunFile } from '../../schemas/run/run';
import { readRunFile, type RunFolder } from './run-folder';

/** Computes the SHA-256 of the instances that a run wrote; undefined while it is not finished, because its records may have changed. @throws DataError when the file is not what the run wrote */
export async function findDataHash(folder: RunFolder<RunFile>): Promise<string | undefined> {
  const file = join(folder.path, RUN_OUTPUT);
  await requireDirectories(dirname(file), folder.path);
  const isBuilt = (await readRunFile(folder))?.state === 'finished' && (await hasFile(file));
  if (!isBuilt) return undefined;
  const { sha256 } = await hashFile(file, folder.path);
  await requireAsWritten({ path: file, name: file, within: folder.path }, sha256);
  return sha256;
}
