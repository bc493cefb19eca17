import { dirname, join, relative, resolve, sep } from 'node:path';
import { type RunFolder } from '../folder/run-folder';
import { WrongFolder } from '../folder/run-folder-error';
import { hasEvaluationPlan } from '../../data/run/evaluation-plan';
import { hasPlan } from '../../data/run/inputs';
import { listTakenPaths } from '../../data/run/place-outputs';
import type { DataSet } from '../../data/sets/data-set';
import { InputError } from '../../schemas/input-error';
import { formatNames } from '../../schemas/text/value-text';
import { findCard, hasFolder } from '../../data/folders/folder';
import { createFolderStore } from '../../data/store/store';
import { findRunFolderAbove } from '../../data/folders/run-folders';

/**
 * Checks the folder of a new run before anything is asked or written.
 * @param outputs paths in the folder that the run will write
 * @param dataSet input of the run
 * @throws WrongFolder when the folder has files where the run would write its own
 * @throws InputError when it is in a data set, which the outputs would become part of
 */
export async function checkNewRunFolder(
  { kind, path }: Pick<RunFolder, 'kind' | 'path'>,
  outputs: readonly string[],
  dataSet?: DataSet,
): Promise<void> {
  refuseDataSet(path, (dataSet && findFolder(dataSet, path)) ?? (await findDataSetAbove(path)), kind.flag);
  const takenPaths = await listTakenPaths(path, outputs);
  if (takenPaths.length > 0) {
    throw new WrongFolder(
      `${path} contains files that no run in this folder wrote: ${formatNames(takenPaths)}. A new run would overwrite them. Move them away, or name another ${kind.flag}.`,
    );
  }
}

/**
 * Checks the folder of a new review before anything is written.
 * @throws InputError when the folder has a run, whose files are others, or is in a data set
 */
export async function checkNewReviewFolder(path: string): Promise<void> {
  const flag = '--results-dir';
  const store = createFolderStore(join(path, '.cupid'), path);
  if (await hasPlan(store)) throw new WrongFolder(`${path} contains a synthesis run. Name another ${flag}.`);
  if (await hasEvaluationPlan(store))
    throw new WrongFolder(`${path} contains an evaluation or a verification. Name another ${flag}.`);
  refuseDataSet(path, await findDataSetAbove(path), flag);
}

/** @param dataSetFolder the folder of the data set that the path is in, if it is in one */
function refuseDataSet(path: string, dataSetFolder: string | undefined, flag: string): void {
  if (dataSetFolder === undefined) return;
  throw new InputError(
    `${path} is ${dataSetFolder === path ? 'the folder of a data set' : `in the folder of a data set, ${dataSetFolder}`}: the files of the run would become part of the data. Name a folder outside it with ${flag}.`,
  );
}

/** Returns the data set's folder if this path is in it; a run's own folder has room for more. */
function findFolder({ argument, commit, files }: DataSet, path: string): string | undefined {
  if (commit !== undefined || files.some((file) => resolve(argument) === file.path)) return undefined;
  const folders = files.map((file) => dirname(file.path));
  const ofRun = folders.some((folder) => findRunFolderAbove(folder) === resolve(argument));
  return [...(ofRun ? [] : [resolve(argument)]), ...folders].find((folder) => isIn(folder, path));
}

function isIn(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`);
}

/** Finds the folder with a data set's card that this path is or is in. */
async function findDataSetAbove(path: string): Promise<string | undefined> {
  for (let folder = path; ; folder = dirname(folder)) {
    // An unreadable README.md is no reason to refuse a folder below it.
    const card = (await hasFolder(folder)) ? await findCard(folder).catch(() => undefined) : undefined;
    if (card?.files !== undefined) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
