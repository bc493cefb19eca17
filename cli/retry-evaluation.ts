import { planMissingCalls, reopenCalls, type PlannedCalls } from '../client/evaluation-retry';
import { keptEvaluation } from '../client/evaluation-rows';
import { EVALUATION, openRunFolder, planOf } from '../client/run-folder';
import type { Todo } from '../schemas/evaluation-run';
import { carryOn, checkSpecs, scoreAgain } from './eval';
import { COMMAND, UsageError } from './exit';
import { progressView } from './progress';
import type { RetryOptions } from './retry';
import { counted } from './number-text';

/**
 * `cupid retry` in the folder of an evaluation: asks the calls that gave nothing usable another time, with all that hangs on
 * them, and writes the results again; nothing else is asked. Returns the exit code.
 */
export async function retryEvaluation(name: string, options: RetryOptions): Promise<number> {
  refuseOfSynthesis(name, options);
  const folder = await openRunFolder(EVALUATION, name);
  const plan = await planOf(folder);
  if (plan === undefined) throw new Error(`The plan of ${name} is gone.`);
  const planned = await planMissingCalls(await keptEvaluation(folder.store), options.only);
  if ('problem' in planned) throw new UsageError(`--only ${planned.problem}`);
  const { again, studies, models } = planned;
  await using view = progressView(process.stderr, options.json === true);
  // A retry that died at its end has nothing open, and is not done.
  const begun = planned.begun || (folder.run?.state === 'running' && folder.run.told.onlyRetried);
  if (again.length === 0 && !begun) {
    view.say(`Nothing is missing in ${name}; its results are written again from what is kept.`);
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

/** @throws UsageError for options that have no meaning here */
function refuseOfSynthesis(name: string, { fromTurn, model }: RetryOptions): void {
  if (fromTurn !== undefined) {
    throw new UsageError(
      `--from-turn is for dialogues, and ${name} holds an evaluation, whose calls are asked again one by one. Leave it out.`,
    );
  }
  if (model !== undefined) {
    throw new UsageError(
      `--model: who answers and who evaluates make a column of an evaluation's results, so nobody is asked in another's place. Leave it out, or add a column: ${COMMAND} eval --results-dir ${name} --rescore --evaluator SPEC has another evaluator asked, ${COMMAND} eval --results-dir ${name} --model SPEC another model.`,
    );
  }
}

function lineOf({ again }: PlannedCalls): string {
  if (again.length === 0)
    return 'Nothing else is missing: what an earlier retry began is brought to its end.';
  const counts = new Map<string, number>();
  for (const { step } of again) counts.set(step, (counts.get(step) ?? 0) + 1);
  const steps = [...counts].map(([step, count]) => `${step} ${count}`).join(', ');
  return `${counted(again.length, 'call')} without a usable answer asked for another time: ${steps}.`;
}
