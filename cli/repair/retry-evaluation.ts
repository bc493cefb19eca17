import {
  carryOutRepair,
  planEvaluationRepair,
  planMissingCalls,
  reopenCalls,
  type PlannedCalls,
} from '../../evaluations/retry';
import { keptEvaluation } from '../../evaluations/outcomes';
import { EVALUATION, openRunFolder, planOf, type RunFolder } from '../../runs/folder/run-folder';
import { redrawStudies } from '../../evaluations/studies';
import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import { counted } from '../../schemas/count-text';
import type { EvaluationFile, Todo } from '../../schemas/evaluation-run';
import { carryOn } from '../eval/carry-out-evaluation';
import { checkSpecs } from '../eval/eval';
import { scoreAgain } from '../eval/rescore';
import { COMMAND, UsageError } from '../exit';
import { journalProgress } from './journal-progress';
import { progressView } from '../run/progress';
import type { RetryOptions } from '../options';

/**
 * `cupid retry` in the folder of an evaluation: asks the calls that gave nothing usable another time, with all that hangs on
 * them, and writes the results again; nothing else is asked. Returns the exit code.
 */
export async function retryEvaluation(name: string, options: RetryOptions): Promise<number> {
  refuseOfSynthesis(name, options);
  const folder = await openRunFolder(EVALUATION, name);
  const plan = await planOf(folder);
  if (plan === undefined)
    throw new Error(
      `The plan of the evaluation in ${name} is missing. Restore .cupid in that folder from a copy.`,
    );
  if (options.damaged === true) return repairEvaluation(options, folder, plan);
  const planned = await planMissingCalls(await keptEvaluation(folder.store), options.only);
  if ('problem' in planned) throw new UsageError(`--only ${planned.problem}`);
  const { again, studies, models } = planned;
  await using view = progressView(process.stderr, options.json === true);
  // A retry that died at its end has nothing open, and is not done.
  const begun = planned.begun || (folder.run?.state === 'running' && folder.run.told.onlyRetried);
  if (again.length === 0 && !begun) {
    view.say(`Nothing is missing in ${name}. Writing the results again from the stored answers.`);
    return scoreAgain(options, folder, plan, [], view);
  }
  await checkSpecs(models, options.profile);
  const told: Todo = {
    cells: plan.inputs.cells,
    onlyStored: false,
    onlyRetried: true,
    // Drawn as they were: the command that asked for them has still been carried out.
    studies: folder.run?.told.studies ?? {},
  };
  return carryOn(
    options,
    folder,
    {
      before: plan,
      plan,
      told,
      asked: models,
      called: models,
      named: [],
      compared: [],
      async reopen() {
        view.say(lineOf(planned));
        await reopenCalls(folder, again);
        return again.length > 0;
      },
      studies: () => Promise.resolve(studies),
    },
    view,
  );
}

/** `cupid retry --damaged` in the folder of an evaluation. Returns the exit code. */
async function repairEvaluation(
  options: RetryOptions,
  folder: RunFolder<EvaluationFile, EvaluationPlan>,
  plan: EvaluationPlan,
): Promise<number> {
  const { run, store } = folder;
  const repair = await planEvaluationRepair(await keptEvaluation(store), journalProgress());
  await using view = progressView(process.stderr, options.json === true);
  const report = () => repair.lines.forEach((line) => view.say(line));
  if (run?.state === 'finished' && repair.damaged.length + repair.again.length === 0) {
    report();
    return scoreAgain(options, folder, plan, [], view);
  }
  await checkSpecs(repair.models, options.profile);
  // What the last command was to do: its work is finished, and what is asked again belongs to it.
  const told: Todo = run?.told ?? {
    cells: plan.inputs.cells,
    onlyStored: false,
    onlyRetried: false,
    studies: {},
  };
  return carryOn(
    options,
    folder,
    {
      before: plan,
      plan,
      told,
      asked: [...plan.inputs.models, ...plan.inputs.evaluators],
      called: repair.models,
      named: [],
      compared: [],
      async reopen() {
        report();
        await carryOutRepair(folder, repair);
        return true;
      },
      studies: async () => redrawStudies(await keptEvaluation(store)),
    },
    view,
  );
}

/** @throws UsageError for options that have no meaning here */
function refuseOfSynthesis(name: string, { fromTurn, model }: RetryOptions): void {
  if (fromTurn !== undefined) {
    throw new UsageError(
      `--from-turn applies to dialogues, but ${name} contains an evaluation, whose calls are retried one by one. Leave it out.`,
    );
  }
  if (model !== undefined) {
    throw new UsageError(
      `--model cannot be used with an evaluation: the models and evaluators name the columns of its results, so another model cannot answer in their place. Leave it out, or add a column: ${COMMAND} eval --results-dir ${name} --rescore --evaluator SPEC adds an evaluator, and ${COMMAND} eval --results-dir ${name} --model SPEC adds a model.`,
    );
  }
}

function lineOf({ again }: PlannedCalls): string {
  if (again.length === 0) return 'Nothing else is missing. Continuing the earlier retry.';
  const counts = new Map<string, number>();
  for (const { step } of again) counts.set(step, (counts.get(step) ?? 0) + 1);
  const steps = [...counts].map(([step, count]) => `${step} ${count}`).join(', ');
  return `Retrying ${counted(again.length, 'call')} without a usable answer: ${steps}.`;
}
