import { Context } from '@temporalio/activity';
import { modelQueue } from '../../rules/task-queues';
import type { World } from '../world';

/**
 * Sets how many calls a second the server hands out for a model, over all workers; without a rate, as many as are asked for.
 * The server keeps it over its own restarts.
 */
export async function setQueueRate(
  _world: World,
  input: {
    readonly run: string;
    readonly spec: string;
    readonly rate?: number | undefined;
    readonly reason: string;
  },
): Promise<void> {
  const { client } = Context.current();
  const { run, spec, rate, reason } = input;
  await client.workflowService.updateTaskQueueConfig({
    namespace: client.options.namespace,
    identity: `cupid ${run}`,
    taskQueue: modelQueue(run, spec),
    taskQueueType: ACTIVITY_QUEUE,
    updateQueueRateLimit: {
      ...(rate === undefined ? {} : { rateLimit: { requestsPerSecond: rate } }),
      reason,
    },
  });
}

/** `TASK_QUEUE_TYPE_ACTIVITY` of Temporal's API. */
const ACTIVITY_QUEUE = 2;
