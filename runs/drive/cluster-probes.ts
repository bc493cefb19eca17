import { randomUUID } from 'node:crypto';
import { isGrpcServiceError } from '@temporalio/client';
import { classifyGrpcError } from '../../engine/grpc';
import { connectWithoutRetries, type Service } from '../../workers/server/connection';

/** Support of a cluster for each feature that runs need; its message where it rejects one. */
export interface ClusterFacts {
  /** Empty if the cluster does not report it. */
  readonly version: string;
  /** Number of days that closed workflows are kept; undefined if the cluster does not report it. */
  readonly retentionDays: number | undefined;
  /** Workflow updates, which steer runs. */
  readonly updates: FeatureCheck;
  /** Lists and counts of workflows by the prefix of their ids. */
  readonly visibility: FeatureCheck;
}

export type FeatureCheck =
  | { readonly isSupported: true }
  | { readonly isSupported: false; readonly reason: string };

/** Probes the features that runs need of a cluster; leaves nothing behind. @throws Error when it does not answer */
export async function probeCluster(cluster: Service): Promise<ClusterFacts> {
  const { namespace } = cluster;
  const { connection, workflowService: service } = await connectWithoutRetries(cluster, {
    connectTimeout: '10 seconds',
  });
  try {
    const { serverVersion } = await service.getSystemInfo({});
    const { config } = await service.describeNamespace({ namespace });
    const seconds = config?.workflowExecutionRetentionTtl?.seconds;
    return {
      version: serverVersion ?? '',
      retentionDays: seconds ? Number(seconds) / 86_400 : undefined,
      updates: await tryProbe(() =>
        service.updateWorkflowExecution({
          namespace,
          // No such workflow exists; a cluster that allows updates answers that.
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

/** Name for the probes, which no run uses. */
const PROBE = 'cupid-doctor';

async function tryProbe(probe: () => Promise<unknown>): Promise<FeatureCheck> {
  try {
    await probe();
    return { isSupported: true };
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    // "Not found" means that the request itself was allowed.
    return classifyGrpcError(error) === 'not-found'
      ? { isSupported: true }
      : { isSupported: false, reason: error.details };
  }
}
