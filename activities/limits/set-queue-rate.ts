import { ApplicationFailure, Context } from '@temporalio/activity';
import { isGrpcServiceError } from '@temporalio/client';
import { ACTIVITY_QUEUE, modelQueue } from '../../rules/task-queues';
import type { World } from '../world';

/**
 * Sets how many calls a second the server hands out for a model, over all workers; without a rate, as many as are asked for.
 * The server keeps it over its own restarts.
 * @throws ApplicationFailure `rate-refused` when the server does not do that
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
  try {
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
  } catch (error) {
    if (!isGrpcServiceError(error) || !REFUSED.has(error.code)) throw error;
    throw ApplicationFailure.nonRetryable(error.details, 'rate-refused');
  }
}

/** gRPC codes of a server that does not do this, or not for us: invalid argument, permission denied, unimplemented. */
const REFUSED: ReadonlySet<number> = new Set([3, 7, 12]);
