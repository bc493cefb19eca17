import type { Client } from '@temporalio/client';

/** Returns the versions of the workers that recently polled a queue for workflow tasks; undefined for a worker without a version. */
export async function listPollerVersions(
  { workflowService }: Pick<Client, 'workflowService'>,
  namespace: string,
  queue: string,
): Promise<(string | undefined)[]> {
  const { pollers } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: WORKFLOW_QUEUE,
  });
  return (pollers ?? [])
    .filter(({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < POLL_MS)
    .map(({ deploymentOptions }) => deploymentOptions?.buildId ?? undefined);
}

/** The API's number for workflow task queues. */
const WORKFLOW_QUEUE = 1;

/** An idle worker polls once a minute; clocks may differ by two minutes. */
const POLL_MS = 180_000;
