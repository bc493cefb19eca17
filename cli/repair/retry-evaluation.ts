import { checkSpecs } from '../../evaluations/prepare';
import { prepareRepair, prepareRetry } from '../../evaluations/prepare-retry';
import { EVALUATION, openRunFolder, findPlan } from '../../runs/folder/run-folder';
import { runEvaluation } from '../eval/carry-out-evaluation';
import { rescoreEvaluation } from '../eval/rescore';
import { COMMAND, UsageError } from '../exit';
import type { RetryOptions } from '../options';
import { createProgressView } from '../run/progress';
import { createCountProgress } from '../terminal/count-progress';

/**
 * `cupid retry` in the folder of an evaluation: asks the calls that gave nothing usable another time, with all that depends on
 * them, and writes the results again; nothing else is asked. With `--damaged`, those whose answers are damaged. Returns the exit code.
 */
export async function retryEvaluation(name: string, options: RetryOptions): Promise<number> {
  const folder = await openRunFolder(EVALUATION, name);
  const plan = await findPlan(folder);
  if (plan === undefined)
    throw new Error(
      `The plan of the evaluation in ${name} is missing. Restore .cupid in that folder from a copy.`,
    );
  refuseOfSynthesis(name, options, plan.inputs.verifier !== undefined);
  const { lines, request } =
    options.damaged === true
      ? await prepareRepair(folder, plan, createCountProgress('Checking the journal', 'workflows'))
      : await prepareRetry(folder, plan, name, options.only);
  await using view = createProgressView(process.stderr, options.json === true);
  const report = () => lines.forEach((line) => view.say(line));
  if (request === undefined) {
    report();
    return rescoreEvaluation(options, folder, plan, [], view);
  }
  await checkSpecs(request.called, options.profile);
  const reopen = async () => {
    report();
    return request.reopen();
  };
  return runEvaluation(options, { ...request, reopen }, view);
}

/** @throws UsageError for options that have no meaning here */
function refuseOfSynthesis(name: string, { fromTurn, model }: RetryOptions, isVerification: boolean): void {
  if (fromTurn !== undefined) {
    throw new UsageError(
      `--from-turn applies to dialogues, but ${name} contains an evaluation, whose calls are retried one by one. Leave it out.`,
    );
  }
  if (model !== undefined && isVerification) {
    throw new UsageError(
      `--model cannot be used with a verification: its verdicts are those of one model. Leave it out, or verify with another model: ${COMMAND} verify DATA --model SPEC --results-dir DIR.`,
    );
  }
  if (model !== undefined) {
    throw new UsageError(
      `--model cannot be used with an evaluation: the models and evaluators name the columns of its results, so another model cannot answer in their place. Leave it out, or add a column: ${COMMAND} eval --results-dir ${name} --rescore --evaluator SPEC adds an evaluator, and ${COMMAND} eval --results-dir ${name} --model SPEC adds a model.`,
    );
  }
}
