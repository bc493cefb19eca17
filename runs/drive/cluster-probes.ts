import { randomUUID } from 'node:crypto';
import { isGrpcServiceError } from '@temporalio/client';
import { classifyGrpcError } from '../../engine/grpc';
import { connectTo, type Service } from '../../workers/server/connection';

/** Which of the features that runs need a cluster allows; where it rejects one, its message. */
export interface ClusterFacts {
  /** Empty where the cluster does not report it. */
  readonly version: string;
  /** How long closed workflows are kept; undefined where the cluster does not report it. */
  readonly retentionDays: number | undefined;
  /** Workflow updates, which steer runs. */
  readonly updates: FeatureCheck;
  /** Lists and counts of workflows by the beginning of their ids. */
  readonly visibility: FeatureCheck;
}

export type FeatureCheck = { readonly yes: true } | { readonly yes: false; readonly said: string };

/** Tries the features that runs need of a cluster; leaves nothing behind. @throws Error when it does not answer */
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
      updates: await tryProbe(() =>
        service.updateWorkflowExecution({
          namespace,
          // No such workflow exists: a cluster that allows updates reports just that.
          workflowExecution: { workflowId: `${PROBE}-${randomUUID()}` },
          request: { meta: { updateId: PROBE, identity: PROBE }, input: { name: PROBE } },
        }),
      ),
      visibility: await tryProbe(async () => {
        const query = `ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${PROBE}/"`;
        await service.listWorkflowExecutions({ namespace, query, pageSize: 1 });
        await service.countWorkflowExecutions({ namespace, query });
      }),
    };
  } finally {
    await connection.close();
  }
}

/** The name that the probes use; nothing of any run has it. */
const PROBE = 'cupid-doctor';

async function tryProbe(probe: () => Promise<unknown>): Promise<FeatureCheck> {
  try {
    await probe();
    return { yes: true };
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    // Not found: the request itself was allowed.
    return classifyGrpcError(error) === 'not-found' ? { yes: true } : { yes: false, said: error.details };
  }
}
