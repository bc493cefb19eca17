import { prepareEvaluation, type PrepareOptions } from '../../runs/evaluate/prepare';
import { EVALUATION, findPlan, openRunFolder } from '../../runs/folder/run-folder';
import { VERIFICATION_FOLDER } from '../../schemas/verification/verification';
import { buildVerificationTarget, type VerificationOptions } from '../../runs/evaluate/target';
import { printNothingLeft } from '../eval/estimate';
import { printRescored } from '../eval/print-evaluation';
import { chooseResultsDir } from '../../runs/folder/results-dir';
import { setRunFolder } from '../output';
import { createProgressView } from '../run/progress';
import { createPrepareObserver } from '../run/prepare-observer';
import type { CarryOutOptions } from '../options';

interface VerifyOptions extends CarryOutOptions, VerificationOptions, Pick<PrepareOptions, 'repeatChanged'> {
  readonly resultsDir?: string;
  /** Location of the verification's store, such as `s3://bucket/verification`. */
  readonly store?: string;
}

/** Runs `cupid verify`: starts, continues or extends the verification of a data set. Returns the exit code. */
export async function verify(data: string, options: VerifyOptions): Promise<number> {
  const resultsDir = await chooseResultsDir(data, options.resultsDir, VERIFICATION_FOLDER);
  setRunFolder(resultsDir);
  const folder = await openRunFolder(EVALUATION, resultsDir, options.store);
  const before = await findPlan(folder);
  const target = await buildVerificationTarget(options, before);
  await using view = createProgressView(process.stderr, options.json === true);
  const verifyOptions = { ...options, resultsDir, data };
  const { request } = await prepareEvaluation(
    folder,
    before,
    target,
    verifyOptions,
    createPrepareObserver(view),
  );
  if (request === undefined && options.estimate === true) return printNothingLeft(options);
  if (request === undefined)
    return await printRescored(options, folder, before, { cells: [], compared: [] }, view);
  // Loaded only now: the engine's modules take longer than everything before.
  const { runEvaluation } = await import('../eval/carry-out-evaluation.js');
  return await runEvaluation(options, { ...request, named: [options.model] }, view);
}
