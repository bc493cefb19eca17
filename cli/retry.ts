import { join, resolve } from 'node:path';
import { modelsOf } from '../client/inputs';
import { planRetry } from '../client/restarts';
import { EVALUATION, openRunFolder, planOf, RunNotFound, SYNTHESIS } from '../client/run-folder';
import { failedPersonas } from '../data/artifacts';
import { folderStore } from '../data/store';
import { checkModels } from '../workers/models';
import { UsageError } from './exit';
import type { CarryOutOptions } from './options';
import { retryEvaluation } from './retry-evaluation';
import { isFinished, synthesize, tellUnchanged } from './synth';

export interface RetryOptions extends CarryOutOptions {
  /** Numbers of personas, or ids as `cupid failures` lists them; absent for all that failed or is missing. */
  readonly only?: readonly string[];
  readonly fromTurn?: number;
  readonly model?: string;
}

/**
 * `cupid retry`: has what failed in a run's folder done over, and goes on to the end of the run; what was answered before
 * is not asked again. In the folder of an evaluation, what is missing is asked again. Returns the exit code.
 */
export async function retry(name: string, options: RetryOptions): Promise<number> {
  if (await EVALUATION.hasPlan(folderStore(join(resolve(name), '.cupid')))) {
    return retryEvaluation(name, options);
  }
  const folder = await openRunFolder(SYNTHESIS, name);
  const before = await planOf(folder);
  if (before === undefined) {
    throw new RunNotFound(
      `${name} contains no run. Name the --output-dir of cupid synth, or the --results-dir of cupid eval.`,
    );
  }
  const { run } = folder;
  const finished = run !== undefined && isFinished(before, run);
  const planned = planRetry(before, await failedPersonas(folder.store), options, finished);
  if ('problem' in planned) throw new UsageError(planned.problem);
  if (run !== undefined && finished && planned.lines.length === 0) {
    return tellUnchanged(options, folder, run, `Nothing failed in ${name}`);
  }
  await checkModels(modelsOf(planned.plan.inputs), process.env);
  const lines = planned.lines.length > 0 ? planned.lines : ['Nothing has failed so far: the run goes on.'];
  const named = options.model === undefined ? [] : [options.model];
  return synthesize(options, folder, before, { ...planned, lines }, named);
}
