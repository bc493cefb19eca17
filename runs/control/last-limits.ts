import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import * as z from 'zod';
import { modelLimitsSchema, type ModelLimits } from '../../schemas/run/steering';
import { setLimits } from '../../workflows/messages';

/**
 * Reads the limits that any run last set in an execution of a model's control; undefined if there are none. It reads the history, because
 * no worker is left to answer a query.
 */
export async function readLastLimits(
  client: Client,
  workflowId: string,
  execution: string,
): Promise<ModelLimits | undefined> {
  const { events } = await client.workflow.getHandle(workflowId, execution).fetchHistory();
  const limitsBySignal = (events ?? []).flatMap((event) => {
    const startPayloads = event.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const signal = event.workflowExecutionSignaledEventAttributes;
    const signaled = signal?.signalName === setLimits.name ? (signal.input?.payloads ?? []) : [];
    return [
      ...startPayloads.map(
        (payload) =>
          inputSchema.safeParse(defaultPayloadConverter.fromPayload<unknown>(payload)).data?.model.limits,
      ),
      ...signaled.map(
        (payload) => modelLimitsSchema.safeParse(defaultPayloadConverter.fromPayload<unknown>(payload)).data,
      ),
    ];
  });
  return limitsBySignal.findLast((limits) => limits !== undefined);
}

const inputSchema = z.object({ model: z.object({ limits: modelLimitsSchema }) });
