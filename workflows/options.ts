import {
  makeContinueAsNewFunc,
  proxyActivities,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Workflow } from '@temporalio/common';
import type { CommonActivities, EvaluationActivities, SynthesisActivities } from '../activities';
import { readHeartbeatTimeout } from '../engine/heartbeats';
import { buildCallsQueueName } from '../engine/task-queues';

// Attempts are unlimited, because only retryable failures are retried at all (activities/create-failure.ts). Retries are quick, because usually a
// worker was killed; a failed call is retried in its activity, and a failure that lasts names its own delay.
const retry = { initialInterval: '200 milliseconds', backoffCoefficient: 1 } as const;

/** Returns options with time for the slowest answer; a dead worker is noticed by its missing heartbeat. */
function getModelOptions(): ActivityOptions {
  return {
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: readHeartbeatTimeout(workflowInfo().memo),
    retry,
  };
}

/** Returns the options of activities that call models, on the task queue for calls. */
function getCallsOptions(): ActivityOptions {
  return { ...getModelOptions(), taskQueue: buildCallsQueueName(workflowInfo().taskQueue) };
}

/** Returns the memo that a workflow passes on to the workflows that it starts. */
export function inheritMemo(): { memo: Record<string, unknown> } {
  return { memo: workflowInfo().memo ?? {} };
}

/** Continues as new on a task queue, by default its own. */
export async function continueOn<W extends Workflow>(
  taskQueue: string | undefined,
  ...args: Parameters<W>
): Promise<never> {
  return makeContinueAsNewFunc<W>(taskQueue === undefined ? {} : { taskQueue })(...args);
}

// A worker that is killed while writing data sets delays the run until its heartbeat times out.
const KEEPING: ActivityOptions = { startToCloseTimeout: '1 hour', heartbeatTimeout: '20 seconds', retry };

export function proxyModelActivities(): SynthesisActivities['asking'] {
  return proxyActivities<SynthesisActivities['asking']>(getCallsOptions());
}

/** Activities that read and write a synthesis run's folder, on the workflow's own task queue. */
export const storeActivities = proxyActivities<SynthesisActivities['keeping']>(KEEPING);

export function proxyEvaluationModelActivities(): EvaluationActivities['asking'] {
  return proxyActivities<EvaluationActivities['asking']>(getCallsOptions());
}

/** Activities that read and write an evaluation run's folder, on the workflow's own task queue. */
export const evaluationStoreActivities = proxyActivities<EvaluationActivities['keeping']>(KEEPING);

/** Returns the activities that send batches and fetch their answers, on the workflow's own task queue. */
export function proxyBatchActivities(): CommonActivities {
  return proxyActivities<CommonActivities>(getModelOptions());
}

/** Returns the activities that collect calls. They may take long, because they send calls to models without batches themselves. */
export function proxyCollectingActivities(): CollectingActivities {
  return proxyActivities<CollectingActivities>({
    ...getModelOptions(),
    startToCloseTimeout: '30 days',
  });
}

type CollectingActivities = Pick<EvaluationActivities['keeping'], 'collectTrials'> &
  Pick<SynthesisActivities['keeping'], 'collectPlans'>;

/** Activities that steer a run, on the workflow's own task queue. */
export const controlActivities = proxyActivities<CommonActivities>(KEEPING);
