import { prepareEvaluation } from '../../evaluations/prepare';
import { EVALUATION, openRunFolder, planOf } from '../../runs/folder/run-folder';
import { progressView } from '../run/progress';
import type { EvalOptions } from './options';
import { namedSpecs, wantedOf } from './request';
import { scoreAgain } from './rescore';

/** `cupid eval`: starts, continues or extends the evaluation of a folder, or scores it again. Returns the exit code. */
export async function evaluate(options: EvalOptions): Promise<number> {
  const folder = await openRunFolder(EVALUATION, options.resultsDir);
  const before = await planOf(folder);
  const wanted = await wantedOf(options, before);
  await using view = progressView(process.stderr, options.json === true);
  const { resultsDir, data, compare, rescore, check, profile } = options;
  const { compared, request } = await prepareEvaluation(
    folder,
    before,
    wanted,
    { resultsDir, data, compare, rescore: rescore === true, check, profile },
    view.say,
  );
  if (request === undefined) return scoreAgain(options, folder, before, compared, view);
  // Loaded only now: the engine's modules take longer than everything before.
  const { carryOn } = await import('./carry-out-evaluation.js');
  return carryOn(options, { ...request, named: namedSpecs(options) }, view);
}
