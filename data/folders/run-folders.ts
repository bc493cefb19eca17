import { basename, join, resolve } from 'node:path';

/** Data sets of a run, in the order of reports, with the kinds of their rows; each is in a subfolder of its name. */
export const RUN_DATA_SETS = [
  ['CUPID-Unverified', 'instances'],
  ['CUPID-Raw', 'records'],
] as const;

/** Returns the run's folder if this could be the folder of one of its data sets, by its name; else undefined. */
export function findRunFolderAbove(folder: string): string | undefined {
  const folderName = basename(resolve(folder));
  return RUN_DATA_SETS.some(([name]) => name === folderName) ? join(folder, '..') : undefined;
}
