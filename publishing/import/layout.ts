import { join } from 'node:path';
import { listDirectory } from '../../data/store/own-file';
import { isMissing } from '../../data/store/system-error';
import { createReadError, DataError } from '../../data/store/data-error';
import { compareNames, LAYOUT } from '../reference-layout';
import { hasFile } from '../../data/folders/folder';

export interface ImportLayout {
  readonly folder: string;
  readonly hasPersonas: boolean;
  /** Names of persona's files without their `.json`, in the order of a data set's rows; none when the folder is not there. */
  readonly data: readonly string[];
  /** The same of instances. */
  readonly instances: readonly string[];
}

/**
 * Finds the reference program's files.
 * @throws DataError when the folder has nothing of a persona or an instance
 */
export async function findLayout(folder: string): Promise<ImportLayout> {
  const hasPersonas = await hasFile(join(folder, LAYOUT.personas));
  const [data, instances] = [
    await listNames(join(folder, LAYOUT.data), folder),
    await listNames(join(folder, LAYOUT.instances), folder),
  ];
  if (data.length === 0 && instances.length === 0) {
    throw new DataError(
      `${folder} has none of the reference program's files: neither ${LAYOUT.data}/*.json nor ${LAYOUT.instances}/*.json. ` +
        `Name the folder that it wrote ${LAYOUT.personas} into.`,
    );
  }
  if (data.length > 0 && !hasPersonas) {
    throw new DataError(
      `${folder} has ${LAYOUT.data}/ but no ${LAYOUT.personas}, which describes the personas. Add that file, or remove ` +
        `${LAYOUT.data}/ to import the instances alone.`,
    );
  }
  return { folder, hasPersonas, data, instances };
}

async function listNames(folder: string, within: string): Promise<string[]> {
  try {
    const entries = await listDirectory(folder, within);
    return entries
      .map(({ name }) => name)
      .filter((name) => name.endsWith(ENDING) && !name.startsWith('.'))
      .map((name) => name.slice(0, -ENDING.length))
      .toSorted(compareNames);
  } catch (error) {
    if (isMissing(error)) return [];
    throw createReadError(folder, error);
  }
}

const ENDING = '.json';
