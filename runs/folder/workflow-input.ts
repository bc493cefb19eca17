import type { Client } from '@temporalio/client';

/** Reads the arguments that a workflow started with. @param execution the latest one if it is absent */
export async function readWorkflowInput(
  client: Client,
  workflowId: string,
  execution?: string,
): Promise<unknown[]> {
  const { namespace, loadedDataConverter: converter } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId, runId: execution ?? null },
    maximumPageSize: 1,
  });
  let payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  for (const codec of converter.payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
  return payloads.map((payload) => converter.payloadConverter.fromPayload<unknown>(payload));
}
