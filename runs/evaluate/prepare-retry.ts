import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import { listCalledSpecs } from '../../rules/trials/cells';
import { formatCount } from '../../schemas/text/count-text';
import type { Todo } from '../../schemas/evaluation/evaluation-run';
import type { EvaluationRequest } from './evaluation-request';
import type { EvaluationFolder } from './write';
import type { ReportWorkflows } from '../plan/inspect-journal';
import { readStoredEvaluation } from './outcomes';
import { planEvaluationRepair, planMissingCalls, reopenCalls, type PlannedCalls } from './retry';
import { redrawStudies } from './studies';

interface PreparedRetry {
  /** Findings and planned calls, as text for the user. */
  readonly lines: readonly string[];
  /** Absent when nothing is to be asked. */
  readonly request?: Omit<EvaluationRequest, 'options'> & Required<Pick<EvaluationRequest, 'reopen'>>;
}

/**
 * Plans a retry of the calls without a usable answer.
 * @param name of the folder, as its user gives it
 * @param only names of workflows; absent for all
 * @throws InputError for a workflow in which nothing is missing
 */
export async function prepareRetry(
  folder: EvaluationFolder,
  plan: EvaluationPlan,
  name: string,
  only: readonly string[] | undefined,
): Promise<PreparedRetry> {
  const { run, store } = folder;
  const plannedCalls = await planMissingCalls(await readStoredEvaluation(store), only);
  const { retries, studies, models } = plannedCalls;
  const isRetry = run?.state === 'running' && run.todo.onlyRetried;
  // A retry that crashed at its end has nothing open, but is not done.
  const begun = plannedCalls.begun || isRetry;
  if (retries.length === 0 && !begun) {
    const problem =
      run?.state === 'running'
        ? `No call failed in ${name}, but instances are still open: repeat the command that evaluates them.`
        : `Nothing is missing in ${name}.`;
    return { lines: [`${problem} Writing the results from the stored answers.`] };
  }
  return {
    lines: [renderPlannedCalls(plannedCalls)],
    request: {
      ...requestFor(folder, plan),
      // Studies stay as drawn, if the command that asked for them has finished.
      todo: {
        ...buildTodoForAll(plan),
        onlyRetried: true,
        studies: run?.state === 'finished' || isRetry ? run.todo.studies : {},
      },
      asked: models,
      called: models,
      async reopen(into) {
        if (retries.length > 0) await reopenCalls(into, plannedCalls);
        return retries.length > 0;
      },
      studies: () => Promise.resolve(studies),
    },
  };
}

/**
 * Plans to repeat the calls whose answers a damaged journal has lost, and those that depend on them.
 * @param report called after each workflow of the journal
 */
export async function prepareRepair(
  folder: EvaluationFolder,
  plan: EvaluationPlan,
  report: ReportWorkflows,
): Promise<PreparedRetry> {
  const { run, store } = folder;
  const repair = await planEvaluationRepair(await readStoredEvaluation(store), report);
  const { lines, models } = repair;
  if (run?.state === 'finished' && repair.damaged.length + repair.retries.length === 0) return { lines };
  return {
    lines,
    request: {
      ...requestFor(folder, plan),
      // Work of the last command. If it has finished, only repeated calls are open, in cells of any command.
      todo:
        run?.state === 'running' ? run.todo : { ...buildTodoForAll(plan), studies: run?.todo.studies ?? {} },
      asked: listCalledSpecs(plan.inputs),
      called: models,
      async reopen(into) {
        await reopenCalls(into, repair);
        return true;
      },
      studies: async (into) => redrawStudies(await readStoredEvaluation(into)),
    },
  };
}

/** Returns an evaluation that continues unchanged, with models that its folder names. */
function requestFor(
  folder: EvaluationFolder,
  plan: EvaluationPlan,
): Pick<EvaluationRequest, 'folder' | 'before' | 'plan' | 'named' | 'compared'> {
  return { folder, before: plan, plan, named: [], compared: [] };
}

function buildTodoForAll({ inputs }: EvaluationPlan): Todo {
  return { cells: inputs.cells, onlyStored: false, onlyRetried: false, studies: {} };
}

function renderPlannedCalls({ retries }: PlannedCalls): string {
  if (retries.length === 0) return 'Nothing else is missing. Continuing the earlier retry.';
  const counts = new Map<string, number>();
  for (const { step } of retries) counts.set(step, (counts.get(step) ?? 0) + 1);
  const steps = [...counts].map(([step, count]) => `${step} ${count}`).join(', ');
  return `Retrying ${formatCount(retries.length, 'call')} without a usable answer: ${steps}.`;
}
