import { join } from 'node:path';
import { hasFolder } from '../../data/sets/folder';
import { RUN_DATA_SETS } from '../../data/sets/run-folders';
import { prepareEvaluation } from '../../evaluations/prepare';
import { readVerificationPrompts } from '../../evaluations/plan';
import { EVALUATION, findPlan, openRunFolder } from '../../runs/folder/run-folder';
import { VERIFICATION_FOLDER } from '../../schemas/verification/verification';
import { readSettings } from '../eval/request';
import { rescoreEvaluation } from '../eval/rescore';
import { UsageError } from '../exit';
import { createProgressView } from '../run/progress';
import type { VerifyOptions } from './options';

/** `cupid verify`: starts, continues or extends the verification of a data set. Returns the exit code. */
export async function verify(data: string, options: VerifyOptions): Promise<number> {
  const resultsDir = options.resultsDir ?? (await findResultsDir(data));
  const folder = await openRunFolder(EVALUATION, resultsDir);
  const before = await findPlan(folder);
  const { model: verifier, check, profile } = options;
  const target = {
    settings: await readSettings(options, before),
    cells: [],
    studies: { verification: { sample: options.sample ?? null } },
    prompts: await readVerificationPrompts(options.prompts),
    verifier,
  };
  await using view = createProgressView(process.stderr, options.json === true);
  const { request } = await prepareEvaluation(
    folder,
    before,
    target,
    { resultsDir, data, rescore: false, check, profile },
    view.say,
  );
  if (request === undefined) return rescoreEvaluation(options, folder, before, [], view);
  // Loaded only now: the engine's modules take longer than everything before.
  const { runEvaluation } = await import('../eval/carry-out-evaluation.js');
  return runEvaluation(options, { ...request, named: [verifier] }, view);
}

/** @throws UsageError where the data are not in a run folder: nobody expects another folder to be written to */
async function findResultsDir(data: string): Promise<string> {
  const [[instances]] = RUN_DATA_SETS;
  if (await hasFolder(join(data, instances))) return join(data, VERIFICATION_FOLDER);
  throw new UsageError(
    `${data} is not a run folder, so the results need a folder of their own. Add --results-dir DIR.`,
  );
}
