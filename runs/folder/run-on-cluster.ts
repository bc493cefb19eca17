import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { z } from 'zod';
import { readKeyring } from '../../data/encryption/keys';
import { decryptPayload, isEncryptedPayload } from '../../data/encryption/payloads';
import { classifyGrpcError } from '../../engine/grpc';
import { buildControlWorkflowId } from '../../engine/journal/key';
import { connectTo, createClient, type NamedService } from '../../workers/server/connection';
import { RunNotFound } from './run-folder';

/**
 * Fetches what a cluster knows of a run: its models, and whether its values are encrypted. Asks the control workflow, which every run has;
 * batches and studies have workflows with other ids.
 * @throws RunNotFound, EncryptionError
 */
export async function fetchRun(
  id: string,
  cluster: NamedService,
): Promise<{ readonly models: readonly string[]; readonly isEncrypted: boolean }> {
  const connection = await connectTo(cluster.connection);
  try {
    return await fetchControlInput(createClient(connection, cluster), id, cluster);
  } finally {
    await connection.close();
  }
}

async function fetchControlInput(
  client: Client,
  id: string,
  cluster: NamedService,
): ReturnType<typeof fetchRun> {
  const payload = await fetchInput(client, buildControlWorkflowId(id)).catch((error: unknown) => {
    if (classifyGrpcError(error) !== 'not-found') throw error;
    throw new RunNotFound(
      `The ${cluster.name} has no run ${id}. Check the id and the namespace. After the retention period, name the run folder instead.`,
      { cause: error },
    );
  });
  if (payload === undefined) return { models: [], isEncrypted: false };
  const input: unknown = defaultPayloadConverter.fromPayload(decryptPayload(readKeyring(), payload));
  const { models } = controlInputSchema.parse(input).run;
  return { models, isEncrypted: isEncryptedPayload(payload) };
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
