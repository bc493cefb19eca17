import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';
import { modelLimitsSchema, type ModelLimits } from '../../schemas/run/steering';
import { setLimits } from '../../workflows/messages';

/**
 * The limits that an execution of a model's control was last given by any run; undefined when its history does not tell. They are read there,
 * not asked for: its workers are gone. They are never encrypted.
 */
export async function readLastLimits(
  client: Client,
  workflowId: string,
  execution: string,
): Promise<ModelLimits | undefined> {
  const { events } = await client.workflow.getHandle(workflowId, execution).fetchHistory();
  const given = (events ?? []).flatMap((event) => {
    const started = event.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const signal = event.workflowExecutionSignaledEventAttributes;
    const signaled = signal?.signalName === setLimits.name ? (signal.input?.payloads ?? []) : [];
    return [
      ...started.map((payload) => inputSchema.safeParse(readPayload(payload)).data?.model.limits),
      ...signaled.map((payload) => modelLimitsSchema.safeParse(readPayload(payload)).data),
    ];
  });
  return given.findLast((limits) => limits !== undefined);
}

const readPayload = (payload: Parameters<typeof defaultPayloadConverter.fromPayload>[0]): unknown =>
  defaultPayloadConverter.fromPayload(payload);

const inputSchema = z.object({ model: z.object({ limits: modelLimitsSchema }) });
