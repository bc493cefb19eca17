import { randomUUID } from 'node:crypto';
import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { ACTIVITY_QUEUE } from '../rules/task-queues';
import { connectTo } from './connection';
import type { Service } from './drive';

/** What a cluster allows of what runs need; where it does not, what it said. */
export interface ClusterFacts {
  /** Empty where it does not tell. */
  readonly version: string;
  /** How long closed workflows are kept; undefined where it does not tell. */
  readonly retentionDays: number | undefined;
  /** Workflow updates: by them runs are steered. */
  readonly updates: Allowed;
  /** `UpdateTaskQueueConfig`: by it a model's rate is held. */
  readonly queueRates: Allowed;
  /** Lists and counts of workflows by the beginning of their ids. */
  readonly visibility: Allowed;
}

export type Allowed = { readonly yes: true } | { readonly yes: false; readonly said: string };

/** Tries out what runs need of a cluster; leaves nothing behind. @throws Error when it does not answer */
export async function probeCluster({ connection: options, namespace }: Service): Promise<ClusterFacts> {
  const connection = await connectTo({ ...options, connectTimeout: '10 seconds', interceptors: [] });
  try {
    const service = connection.workflowService;
    const { serverVersion } = await service.getSystemInfo({});
    const { config } = await service.describeNamespace({ namespace });
    const seconds = config?.workflowExecutionRetentionTtl?.seconds;
    return {
      version: serverVersion ?? '',
      retentionDays: seconds ? Number(seconds) / 86_400 : undefined,
      updates: await tried(() =>
        service.updateWorkflowExecution({
          namespace,
          // There is none: where updates are allowed, just that is said.
          workflowExecution: { workflowId: `${PROBE}-${randomUUID()}` },
          request: { meta: { updateId: PROBE, identity: PROBE }, input: { name: PROBE } },
        }),
      ),
      queueRates: await tried(async () => {
        await setRate(connection, namespace, 10);
        await setRate(connection, namespace, undefined);
      }),
      visibility: await tried(async () => {
        const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${PROBE}/"`;
        await service.listWorkflowExecutions({ namespace, query, pageSize: 1 });
        await service.countWorkflowExecutions({ namespace, query });
      }),
    };
  } finally {
    await connection.close();
  }
}

/** The name of what is tried out on: nothing of any run is called so. */
const PROBE = 'cupid-doctor';

async function setRate(connection: Connection, namespace: string, rate: number | undefined): Promise<void> {
  await connection.workflowService.updateTaskQueueConfig({
    namespace,
    identity: PROBE,
    taskQueue: PROBE,
    taskQueueType: ACTIVITY_QUEUE,
    updateQueueRateLimit: {
      ...(rate === undefined ? {} : { rateLimit: { requestsPerSecond: rate } }),
      reason: PROBE,
    },
  });
}

async function tried(probe: () => Promise<unknown>): Promise<Allowed> {
  try {
    await probe();
    return { yes: true };
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    return ALLOWED.has(error.code) ? { yes: true } : { yes: false, said: error.details };
  }
}

/** gRPC's code of what is not found: it was looked for, so that is allowed. */
const ALLOWED: ReadonlySet<number> = new Set([5]);
