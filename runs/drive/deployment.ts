import { isGrpcServiceError, type Client } from '@temporalio/client';
import { classifyGrpcError } from '../../engine/grpc';
import { DEPLOYMENT } from '../../engine/task-queues';
import { connectWithoutRetries, type Service } from '../../workers/server/connection';
import { listPollerVersions } from './pollers';

/** Versions of this program on a cluster. One of them is current, and runs move to it. */
export interface Deployment extends AsyncDisposable {
  /**
   * Returns the current version; undefined if there is none. A version that is new to the cluster becomes current. So does this one when
   * the workers of the current one have gone. A manager of the deployment may decide otherwise. An old version that restarts, such as
   * a pod, changes nothing.
   */
  readonly updateCurrent: () => Promise<string | undefined>;
}

/**
 * Opens the deployment of a cluster.
 * @param version of this process, which is registered elsewhere
 * @param report prints a line
 */
export async function openDeployment(
  service: Service,
  version: string,
  report: (line: string) => void,
): Promise<Deployment> {
  const { namespace } = service;
  const client = await connectWithoutRetries(service);
  let isExplained = false;
  const explain = (current: string | undefined, reason: string) => {
    if (!isExplained) report(explainWaiting(version, current, reason));
    isExplained = true;
    return current;
  };
  return {
    async updateCurrent() {
      const { current, isKnown, isNew } = await describe(client, namespace, version);
      if (!isKnown || current === version) return current;
      if (
        !isNew &&
        current !== undefined &&
        (await listPollerVersions(client, namespace, DEPLOYMENT)).includes(current)
      )
        return explain(current, 'it was current before, and workers of the current version still run');
      try {
        await client.workflowService.setWorkerDeploymentCurrentVersion({
          namespace,
          deploymentName: DEPLOYMENT,
          buildId: version,
          identity: `cupid ${version}`,
        });
        report(`Version ${version} is now the current one: runs in progress move to it.`);
        return version;
      } catch (error) {
        if (classifyGrpcError(error) === 'unavailable') return current;
        return explain(current, isGrpcServiceError(error) ? error.details : String(error));
      }
    },
    [Symbol.asyncDispose]: () => client.connection.close(),
  };
}

function explainWaiting(version: string, current: string | undefined, reason: string): string {
  return `Version ${version} is not the current one (${current ?? 'there is none'}), so this worker works only for runs of its own version: ${reason}. To move runs to it: temporal worker deployment set-current-version --deployment-name ${DEPLOYMENT} --build-id ${version}`;
}

/** Describes the versions on the cluster, and whether this one is known there, and was never current. */
async function describe(
  { workflowService }: Client,
  namespace: string,
  version: string,
): Promise<{ readonly current?: string; readonly isKnown: boolean; readonly isNew: boolean }> {
  try {
    const { workerDeploymentInfo: info } = await workflowService.describeWorkerDeployment({
      namespace,
      deploymentName: DEPLOYMENT,
    });
    const current = info?.routingConfig?.currentDeploymentVersion?.buildId;
    const summary = info?.versionSummaries?.find(
      ({ deploymentVersion }) => deploymentVersion?.buildId === version,
    );
    return {
      ...(current ? { current } : {}),
      isKnown: summary !== undefined,
      isNew: summary !== undefined && !summary.firstActivationTime,
    };
  } catch (error) {
    // No version has registered yet, or the cluster does not support deployments.
    const failure = classifyGrpcError(error);
    if (failure !== 'not-found' && failure !== 'permanent') throw error;
    return { isKnown: false, isNew: false };
  }
}
