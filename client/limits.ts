import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { limitsWorkflowId } from '../rules/journal-key';
import { runQueue, sharedLimitsQueue } from '../rules/task-queues';
import { EMBEDDED } from '../schemas/run';
import type { ModelLimits } from '../schemas/steering';
import type { limits } from '../workflows/limits';
import { setLimits } from '../workflows/messages';

/**
 * The task queue of the workflows that limit a run's models: shared by the runs of a cluster; on its own engine the run's own.
 */
export function limitsQueueFor(
  run: string,
  { engine, codeVersion }: { readonly engine: string; readonly codeVersion: string },
): string {
  return engine === EMBEDDED ? runQueue(run) : sharedLimitsQueue(codeVersion);
}

/**
 * Starts the workflow that limits a model, or goes on with the one that does for other runs.
 * @param limits those that the run keeps, for a workflow that is new; and those that its command wants, for one that is not, too
 * @param alone true when no other run can be using it: what was left of it is replaced
 */
export async function startLimits(
  client: Client,
  spec: string,
  queue: string,
  { kept, wanted }: { readonly kept: ModelLimits | undefined; readonly wanted?: ModelLimits | undefined },
  alone: boolean,
): Promise<void> {
  const handle = await client.workflow.start<typeof limits>('limits', {
    workflowId: limitsWorkflowId(spec),
    taskQueue: queue,
    workflowIdConflictPolicy: alone ? 'TERMINATE_EXISTING' : 'USE_EXISTING',
    args: [{ spec, limits: wanted ?? kept ?? {} }],
  });
  if (wanted !== undefined) await handle.signal(setLimits, wanted);
}

/**
 * Starts it when it is gone; and in place of one that does not answer, since it belongs to another version of the workflows, whose
 * processes are gone.
 */
export async function reviveLimits(
  client: Client,
  spec: string,
  queue: string,
  kept: ModelLimits | undefined,
): Promise<void> {
  try {
    const { status, taskQueue } = await client.workflow.getHandle(limitsWorkflowId(spec)).describe();
    if (status.name === 'RUNNING' && taskQueue === queue) return;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  await startLimits(client, spec, queue, { kept }, true);
}
