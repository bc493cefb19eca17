import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { findVersionsAtWork, haveGone } from '../../../engine/versions-at-work';
import { readQueueVersion } from '../../../engine/task-queues';
import { listClosedPersonas } from '../../../data/run/artifacts';
import type { SynthesisWorld } from '../inputs';

/** Finds the personas of a run that are already finished or failed, by the artifact store. */
export async function findClosedPersonas(
  world: SynthesisWorld,
  _input: { readonly run: string },
): Promise<{ finished: number[]; failed: number[] }> {
  return listClosedPersonas(world.run.store);
}

/**
 * Finds those of the named workflows that are not running anymore, each with how it closed. Ends those of another version whose workers
 * are gone: `left`.
 */
export async function findClosedWorkflows(
  _world: SynthesisWorld,
  input: { readonly run: string; readonly workflowIds: readonly string[] },
): Promise<{ workflowId: string; status: string }[]> {
  const { client, info } = Context.current();
  const { workflow } = client;
  let atWork: ReturnType<typeof findVersionsAtWork> | undefined;
  const isLeft = async (queue: string) => {
    const version = readQueueVersion(queue);
    if (queue === info.taskQueue || version === undefined) return false;
    return haveGone(version, await (atWork ??= findVersionsAtWork(workflow, input.run)));
  };
  const closed: { workflowId: string; status: string }[] = [];
  for (const workflowId of input.workflowIds) {
    try {
      const { status, taskQueue, runId } = await workflow.getHandle(workflowId).describe();
      if (['RUNNING', 'TERMINATED'].includes(status.name) && (await isLeft(taskQueue))) {
        if (status.name === 'RUNNING')
          await workflow.getHandle(workflowId, runId).terminate('Its workers no longer report.');
        closed.push({ workflowId, status: 'left' });
      } else if (status.name !== 'RUNNING') closed.push({ workflowId, status: status.name.toLowerCase() });
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      closed.push({ workflowId, status: 'not found' });
    }
  }
  return closed;
}
