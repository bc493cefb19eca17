import { type PersonaOptions, readPersonaFilter, storeChosen } from '../../data/sets/persona-filter';
import { prepareEvaluation } from '../../runs/evaluate/prepare';
import { readVerificationPrompts } from '../../runs/evaluate/plan';
import { EVALUATION, findPlan, openRunFolder } from '../../runs/folder/run-folder';
import { VERIFICATION_FOLDER } from '../../schemas/verification/verification';
import { readEvaluationSettings } from '../../runs/evaluate/request';
import { rescoreEvaluation } from '../eval/rescore';
import { chooseResultsDir } from '../../runs/folder/results-dir';
import { createProgressView } from '../run/progress';
import type { CarryOutOptions } from '../options';

interface VerifyOptions extends CarryOutOptions, PersonaOptions {
  readonly model: string;
  readonly resultsDir?: string;
  /** Location of the verification's store, such as `s3://bucket/verification`. */
  readonly store?: string;
  readonly sample?: number;
  readonly seed?: number;
  readonly prompts?: string;
  readonly settings?: string;
  readonly redoChanged?: true;
}

/** Runs `cupid verify`: starts, continues or extends the verification of a data set. Returns the exit code. */
export async function verify(data: string, options: VerifyOptions): Promise<number> {
  const resultsDir = await chooseResultsDir(data, options.resultsDir, VERIFICATION_FOLDER);
  const folder = await openRunFolder(EVALUATION, resultsDir, options.store);
  const before = await findPlan(folder);
  const verifier = options.model;
  const filter = await readPersonaFilter(options);
  const { chosen, lists } = storeChosen(filter);
  const target = {
    settings: await readEvaluationSettings(options, before),
    cells: [],
    studies: { verification: { sample: options.sample ?? null, ...chosen } },
    filter,
    lists,
    prompts: await readVerificationPrompts(options.prompts),
    verifier,
  };
  await using view = createProgressView(process.stderr, options.json === true);
  const asked = { ...options, resultsDir, data };
  const { request } = await prepareEvaluation(folder, before, target, asked, view.say);
  if (request === undefined) return rescoreEvaluation(options, folder, before, [], view);
  // Loaded only now: the engine's modules take longer than everything before.
  const { runEvaluation } = await import('../eval/carry-out-evaluation.js');
  return runEvaluation(options, { ...request, named: [verifier] }, view);
}
