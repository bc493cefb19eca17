import { prepareEvaluation } from '../../runs/evaluate/prepare';
import { EVALUATION, openRunFolder, findPlan } from '../../runs/folder/run-folder';
import { hasPrefMatcherPrompt } from '../../runs/evaluate/paper-setup';
import { createProgressView } from '../run/progress';
import { createPrepareObserver } from '../run/prepare-observer';
import type { EvalOptions } from './parse-options';
import { listSpecs, buildEvaluationTarget } from '../../runs/evaluate/target';
import { leaveOutUnreadable } from '../../runs/evaluate/windows';
import { printNothingLeft } from './estimate';
import { printRescored } from './print-evaluation';

/** Runs `cupid eval`: starts, continues, extends or rescores the evaluation in a folder. Returns the exit code. */
export async function evaluate(options: EvalOptions): Promise<number> {
  const folder = await openRunFolder(EVALUATION, options.resultsDir, options.store);
  const before = await findPlan(folder);
  const { target, leftOut } = await leaveOutUnreadable(
    await buildEvaluationTarget(options, before),
    options.models,
  );
  await using view = createProgressView(process.stderr, options.json === true);
  for (const line of leftOut) view.say(line);
  if (options.useMatcher === true && !hasPrefMatcherPrompt(target.prompts)) view.say(PREFMATCHER_WARNING);
  const { compared, request } = await prepareEvaluation(
    folder,
    before,
    target,
    options,
    createPrepareObserver(view),
  );
  if (request === undefined && options.estimate === true) return printNothingLeft(options);
  if (request === undefined)
    return await printRescored(options, folder, before, { cells: target.cells, compared }, view);
  // Loaded only now: the engine's modules take longer than everything before.
  const { runEvaluation } = await import('./carry-out-evaluation.js');
  return await runEvaluation(options, { ...request, named: listSpecs(options) }, view);
}

const PREFMATCHER_WARNING =
  "PrefMatcher was trained with a prompt that differs from evaluation/preference_matcher_model in this prompt pack, so its labels may be less reliable. To use the prompt that it was trained with, add --prompts with the pack of the paper's authors.";
