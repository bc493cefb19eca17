import { proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import type { KeepingActivities, ModelActivities } from '../activities';
import { modelQueue } from '../rules/task-queues';

// Without end, since only what passes by itself is retried at all (activities/failure.ts).
const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' } as const;

const MODEL: ActivityOptions = {
  // Long enough for the slowest answer; a worker that died is noticed by its missing heartbeat in seconds.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '6 seconds',
  retry,
};

const KEEPING: ActivityOptions = { startToCloseTimeout: '1 hour', heartbeatTimeout: '1 minute', retry };

/** The activities that ask this model for a run, on their own task queue. */
export function asking(run: string, spec: string): ModelActivities {
  return proxyActivities<ModelActivities>({ ...MODEL, taskQueue: modelQueue(run, spec) });
}

/** The activities that read and write what the run keeps, on the workflow's own task queue. */
export const keeping = proxyActivities<KeepingActivities>(KEEPING);
