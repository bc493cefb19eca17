import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { listClosedPersonas } from '../../../data/run/artifacts';
import type { SynthesisWorld } from '../files';

/** The personas of a run that need not be started: their outcome is in the artifact store. */
export async function findClosedPersonas(
  world: SynthesisWorld,
  input: { readonly run: string },
): Promise<{ finished: number[]; failed: number[] }> {
  const run = await world.run(input.run);
  return listClosedPersonas(run.store);
}

/** Those of the named workflows that are not running any more, each with how it closed. */
export async function findClosedWorkflows(
  _world: SynthesisWorld,
  input: { readonly workflowIds: readonly string[] },
): Promise<{ workflowId: string; status: string }[]> {
  const { workflow } = Context.current().client;
  const closed: { workflowId: string; status: string }[] = [];
  for (const workflowId of input.workflowIds) {
    Context.current().heartbeat();
    try {
      const { status } = await workflow.getHandle(workflowId).describe();
      if (status.name !== 'RUNNING') closed.push({ workflowId, status: status.name.toLowerCase() });
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      closed.push({ workflowId, status: 'not found' });
    }
  }
  return closed;
}
