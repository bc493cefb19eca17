import { basename, join, resolve } from 'node:path';

/** The data sets of a run, each in a folder of its name in the run's, in the order in which they are reported, and what their rows are. */
export const RUN_DATA_SETS = [
  ['CUPID-Unverified', 'instances'],
  ['CUPID-Raw', 'records'],
] as const;

/** Returns the run's folder that this would be the folder of a data set of, by its name; undefined when it is named otherwise. */
export function findRunFolderAbove(folder: string): string | undefined {
  const own = basename(resolve(folder));
  return RUN_DATA_SETS.some(([name]) => name === own) ? join(folder, '..') : undefined;
}
