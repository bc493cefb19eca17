import { buildRunQueueName } from '../../engine/task-queues';
import { buildPlan } from '../../rules/method/evaluation-calls';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import type { evaluation, EvaluationResult, EvaluationWork } from '../../workflows/evaluation/evaluation';
import { evaluationProgress, type EvaluationProgress } from '../../workflows/messages';
import { driveWorkflow, type DrivenWorkflow, type IdentifiedService } from '../drive/drive';

export type DrivenEvaluation = DrivenWorkflow<EvaluationProgress, EvaluationResult>;

/**
 * Starts the workflow of one phase of an evaluation, or continues with the running one.
 * @param concurrency maximum calls in flight; determines the window of open trials
 */
export async function driveEvaluation(
  service: IdentifiedService,
  inputs: EvaluationInputs,
  todo: EvaluationWork,
  concurrency: number,
): Promise<DrivenEvaluation> {
  const { id } = inputs;
  const window = computeTrialWindow(concurrency);
  return driveWorkflow<typeof evaluation, EvaluationProgress>(service, {
    workflow: 'evaluation',
    workflowId: todo.phase === 'trials' ? id : buildStudiesWorkflowId(id),
    taskQueue: buildRunQueueName(id, service.version),
    args: [{ ...buildPlan(inputs), todo, window }],
    window,
    progress: evaluationProgress,
  });
}

/** Builds the id of the workflow for an evaluation's studies, which follow its trials. */
export function buildStudiesWorkflowId(run: string): string {
  return `${run}/studies`;
}

/** Computes the maximum of open trials. A trial nearly always has a call in flight, so a few more trials than calls keep the gate full. */
export function computeTrialWindow(concurrency: number): number {
  return Math.ceil(concurrency * 1.25) + 4;
}
