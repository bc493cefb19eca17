import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import * as z from 'zod';
import { classifyGrpcError } from '../../engine/grpc';
import { buildControlWorkflowId } from '../../engine/journal/key';
import { connectTo, createClient, type NamedService } from '../../workers/server/connection';
import { RunNotFound } from './run-folder';

/**
 * Fetches the SPECs of a run's models from a cluster. Queries the control workflow, which every run has; batches and studies have workflows
 * with other ids.
 * @throws RunNotFound
 */
export async function fetchModels(id: string, cluster: NamedService): Promise<readonly string[]> {
  const connection = await connectTo(cluster.connection);
  try {
    return await readModels(createClient(connection, cluster), id, cluster);
  } finally {
    await connection.close();
  }
}

async function readModels(client: Client, id: string, cluster: NamedService): Promise<readonly string[]> {
  const payload = await fetchInput(client, buildControlWorkflowId(id)).catch((error: unknown) => {
    if (classifyGrpcError(error) !== 'not-found') throw error;
    throw new RunNotFound(
      `The ${cluster.name} has no run ${id}. Check the id and the namespace. After the retention period, name the run folder instead.`,
      { cause: error },
    );
  });
  if (payload === undefined) return [];
  return controlInputSchema.parse(defaultPayloadConverter.fromPayload(payload)).run.models;
}

async function fetchInput(client: Client, workflowId: string): Promise<Payload | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
}

const controlInputSchema = z.object({ run: z.object({ models: z.array(z.string()) }) });
