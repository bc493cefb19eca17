import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../data/store/system-error';
import { hasEvaluationPlan } from '../../data/run/evaluation-plan';
import { hasFolder } from '../../data/folders/folder';
import { locateData } from '../../data/sets/open';
import { requireDirectories } from '../../data/store/own-file';
import { RUN_DATA_SETS } from '../../data/folders/run-folders';
import { openRunStore } from '../../data/store/open-store';
import { InputError } from '../../schemas/input-error';

/**
 * Chooses the folder for the results of a command that checks data: the named one, or one of this name in a run's folder.
 * @throws InputError where neither exists, because no user expects another folder to be written to; DataError where no data set is named
 */
export async function chooseResultsDir(
  data: string,
  resultsDir: string | undefined,
  name: string,
): Promise<string> {
  if (resultsDir !== undefined) return resultsDir;
  // A folder that cannot be read must not count as one without a run.
  await readdir(data).catch(ignoreMissing);
  const [[instances]] = RUN_DATA_SETS;
  if (await hasFolder(join(data, instances), data)) {
    await requireDirectories(join(data, name), data);
    return join(data, name);
  }
  if (await hasFolder(join(data, '.cupid'), data)) {
    if (await hasEvaluationPlan(await openRunStore(data)))
      throw new InputError(`${data} contains results, not data. Name the run or the data set itself.`);
    throw new InputError(
      `${data} has no ${instances} yet. Repeat the cupid synth command of its run, and this command once a persona is finished.`,
    );
  }
  await locateData(data);
  throw new InputError(
    `${data} is not a run folder, so the results need a folder of their own. Add --results-dir DIR.`,
  );
}
