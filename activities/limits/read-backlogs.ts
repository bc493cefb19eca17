import { Context } from '@temporalio/activity';
import { ACTIVITY_QUEUE, modelQueue } from '../../rules/task-queues';
import type { World } from '../world';

/** How many calls to a model the server has still to hand out, by run. */
export async function readBacklogs(
  _world: World,
  input: { readonly spec: string; readonly runs: readonly string[] },
): Promise<Record<string, number>> {
  const { client } = Context.current();
  const backlogs: Record<string, number> = {};
  for (const run of input.runs) {
    const { stats } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: modelQueue(run, input.spec) },
      taskQueueType: ACTIVITY_QUEUE,
      reportStats: true,
    });
    backlogs[run] = Number(stats?.approximateBacklogCount ?? 0);
  }
  return backlogs;
}
