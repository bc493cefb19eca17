import { getPurpose, type EvaluationPurpose } from '../../schemas/evaluation/purpose';
import { resolve } from 'node:path';
import { listModels } from '../../engine/model-facts/roles';
import { isFinished } from '../../runs/synthesize/inputs';
import { checkJournal, setDamagedAside } from '../../runs/synthesize/journal-check';
import type { ReportWorkflows } from '../../runs/plan/inspect-journal';
import { planRepair, planRetry } from '../../runs/synthesize/restarts';
import { EVALUATION, openRunFolder, findPlan, RunNotFound, SYNTHESIS } from '../../runs/folder/run-folder';
import { readFailedPersonas } from '../../data/run/artifacts';
import { openRunStore } from '../../data/store/open-store';
import { checkModels } from '../../workers/models';
import { UsageError } from '../exit';
import type { RetryOptions } from '../options';
import { createCountProgress } from '../progress-lines';
import { printMessage } from '../output';
import { printUnchanged } from '../synth/synthesis-result';
import { runSynthesis } from '../synth/synthesize';
import { checkSpecs } from '../../runs/evaluate/prepare';
import { PURPOSES } from '../../runs/evaluate/purposes';
import { prepareRepair, prepareRetry } from '../../runs/evaluate/prepare-retry';
import { quotePath } from '../../schemas/text/shell-text';
import { runEvaluation } from '../eval/carry-out-evaluation';
import { printNothingLeft } from '../eval/estimate';
import { printRescored } from '../eval/print-evaluation';
import { createProgressView } from '../run/progress';

/**
 * Runs 'cupid retry': retries the failures of a run, and continues the run to its end. Stored answers are not requested
 * again. With `--damaged`, repeats the calls whose answers are damaged. In an evaluation folder, requests what is
 * missing. Returns the exit code.
 */
export async function retry(name: string, options: RetryOptions): Promise<number> {
  refuseBesideDamaged(options);
  if (await EVALUATION.hasPlan(await openRunStore(resolve(name)))) {
    return retryEvaluation(name, options);
  }
  const folder = await openRunFolder({ ...SYNTHESIS, flag: NAMED }, name);
  const before = await findPlan(folder);
  if (before === undefined) {
    throw new RunNotFound(
      `${name} contains no run. Name the --output-dir of cupid synth, or the --results-dir of cupid eval.`,
    );
  }
  const { run, store } = folder;
  const finished = run !== undefined && isFinished(before, run);
  const failures = await readFailedPersonas(store);
  const restarts =
    options.damaged === true
      ? planRepair(before, await checkJournal(before, store, reportCheck()), failures)
      : planRetry(before, failures, options, finished);
  const asksNothing = restarts.plan === before && restarts.resumed.length === 0;
  if (run !== undefined && finished && asksNothing && options.estimate !== true) {
    await setDamagedAside(folder, before, restarts.damaged ?? []);
    for (const line of restarts.lines) printMessage(line);
    const reason =
      options.damaged === true ? `No call in ${folder.path} has to be repeated` : `Nothing failed in ${name}`;
    return printUnchanged(options, folder, run, reason);
  }
  if (options.estimate !== true) await checkModels(listModels(restarts.plan.inputs), process.env);
  const lines =
    restarts.lines.length > 0 ? restarts.lines : ['Nothing has failed so far. Continuing the run.'];
  const modelNames = options.model === undefined ? [] : [options.model];
  return runSynthesis(options, folder, before, { ...restarts, lines }, modelNames);
}

/** How this command names its run. */
const NAMED = 'run folder';

function reportCheck(): ReportWorkflows {
  return createCountProgress('Checking the journal', 'pieces of work');
}

/** @throws UsageError for options that choose what is retried, because `--damaged` checks everything */
function refuseBesideDamaged({ damaged, only, fromTurn, model }: RetryOptions): void {
  if (damaged !== true) return;
  const conflicts = Object.entries({ '--only': only, '--from-turn': fromTurn, '--model': model })
    .filter(([, value]) => value !== undefined)
    .map(([flag]) => flag);
  if (conflicts.length === 0) return;
  throw new UsageError(
    `--damaged checks the whole journal and repeats calls with the same models, so it cannot be combined with ${conflicts.join(' or ')}. Run cupid retry RUN --damaged first, and the other retry after it.`,
  );
}

/**
 * Runs 'cupid retry' for an evaluation: repeats the calls without a usable answer and all that depends on them, and
 * writes the results again. With `--damaged`, repeats the calls whose answers are damaged. Returns the exit code.
 */
async function retryEvaluation(name: string, options: RetryOptions): Promise<number> {
  const folder = await openRunFolder({ ...EVALUATION, flag: NAMED }, name);
  const plan = await findPlan(folder);
  if (plan === undefined)
    throw new Error(
      `The plan of the evaluation in ${name} is missing. Restore .cupid in that folder from a copy.`,
    );
  refuseOfSynthesis(name, options, getPurpose(plan.inputs));
  const { lines, request } =
    options.damaged === true
      ? await prepareRepair(folder, plan, reportCheck())
      : await prepareRetry(folder, plan, name, options.only);
  await using view = createProgressView(process.stderr, options.json === true);
  const report = () => lines.forEach((line) => view.say(line));
  if (request === undefined) {
    if (options.estimate === true) return printNothingLeft(options);
    report();
    return await printRescored(options, folder, plan, { cells: [], compared: [] }, view);
  }
  if (options.estimate !== true) await checkSpecs(request.called, options.profile);
  report();
  return await runEvaluation(options, request, view);
}

/** @throws UsageError for options that do not apply to evaluations */
function refuseOfSynthesis(
  name: string,
  { fromTurn, model }: RetryOptions,
  purpose: EvaluationPurpose,
): void {
  if (fromTurn !== undefined) {
    throw new UsageError(
      `--from-turn applies to dialogues, but ${name} contains an evaluation, whose calls are retried one by one. Leave it out.`,
    );
  }
  if (model !== undefined) throw new UsageError(PURPOSES[purpose].describeFixedModels(quotePath(name)));
}
