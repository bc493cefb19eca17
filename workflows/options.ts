import {
  makeContinueAsNewFunc,
  proxyActivities,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Workflow } from '@temporalio/common';
import type { BatchActivities } from '../activities';
import type { ControlActivities } from '../activities/control';
import type { EvaluationModelActivities, EvaluationStoreActivities } from '../activities/evaluation';
import type { SynthesisModelActivities, SynthesisStoreActivities } from '../activities/synthesis';
import { readHeartbeatTimeout } from '../engine/heartbeats';
import { buildCallsQueueName } from '../engine/task-queues';

// Unlimited, since only retryable failures are retried at all (activities/create-failure.ts). The first time soon: most often a worker
// was killed; a model that fails is waited for by its lease.
const retry = {
  initialInterval: '200 milliseconds',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
} as const;

/** Long enough for the slowest answer; a worker that died is noticed by its missing heartbeat. */
function getModelOptions(): ActivityOptions {
  return {
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: readHeartbeatTimeout(workflowInfo().memo),
    retry,
  };
}

/** What a workflow hands on to those that it starts. */
export function inheritMemo(): { memo: Record<string, unknown> } {
  return { memo: workflowInfo().memo ?? {} };
}

/** Continues as new on a task queue; on its own where none is named. */
export async function continueOn<W extends Workflow>(
  taskQueue: string | undefined,
  ...args: Parameters<W>
): Promise<never> {
  return makeContinueAsNewFunc<W>(taskQueue === undefined ? {} : { taskQueue })(...args);
}

// A worker that is killed while it writes data sets delays the run until its heartbeat times out.
const KEEPING: ActivityOptions = { startToCloseTimeout: '1 hour', heartbeatTimeout: '20 seconds', retry };

export function proxyModelActivities(): SynthesisModelActivities {
  return proxyActivities<SynthesisModelActivities>({
    ...getModelOptions(),
    taskQueue: buildCallsQueueName(workflowInfo().taskQueue),
  });
}

/** The activities that read and write what a synthesis run keeps, on the workflow's own task queue. */
export const storeActivities = proxyActivities<SynthesisStoreActivities>(KEEPING);

export function proxyEvaluationModelActivities(): EvaluationModelActivities {
  return proxyActivities<EvaluationModelActivities>({
    ...getModelOptions(),
    taskQueue: buildCallsQueueName(workflowInfo().taskQueue),
  });
}

/** The activities that read and write what an evaluation run keeps, on the workflow's own task queue. */
export const evaluationStoreActivities = proxyActivities<EvaluationStoreActivities>(KEEPING);

/** Returns the activities that send batches and take their answers, on the workflow's own task queue. */
export function proxyBatchActivities(): BatchActivities {
  return proxyActivities<BatchActivities>(getModelOptions());
}

/**
 * Returns the same for those that collect calls, for as long as it takes: calls to models without batches are sent by themselves meanwhile, however
 * many there are.
 */
export function proxyCollectingActivities(): CollectingActivities {
  return proxyActivities<CollectingActivities>({
    ...getModelOptions(),
    startToCloseTimeout: '30 days',
  });
}

type CollectingActivities = Pick<EvaluationStoreActivities, 'collectTrials'> &
  Pick<SynthesisStoreActivities, 'collectPlans'>;

/** The activities by which a run is steered, on the workflow's own task queue. */
export const controlActivities = proxyActivities<ControlActivities>(KEEPING);
