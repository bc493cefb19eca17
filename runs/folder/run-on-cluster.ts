import * as z from 'zod';
import { classifyGrpcError } from '../../engine/grpc';
import { buildControlWorkflowId } from '../../engine/journal/key';
import { useClient, type NamedService } from '../../workers/server/connection';
import { readWorkflowInput } from './workflow-input';
import { RunNotFound } from './run-folder';

/**
 * Fetches the SPECs of a run's models from a cluster. Queries the control workflow, which every run has; batches and studies have workflows
 * with other ids.
 * @throws RunNotFound
 */
export async function fetchModels(id: string, cluster: NamedService): Promise<readonly string[]> {
  return useClient(cluster, async (client) => {
    const [input] = await readWorkflowInput(client, buildControlWorkflowId(id)).catch((error: unknown) => {
      if (classifyGrpcError(error) !== 'not-found') throw error;
      throw new RunNotFound(
        `The ${cluster.name} has no run ${id}. Check the id and the namespace. After the retention period, name the run folder instead.`,
        { cause: error },
      );
    });
    return input === undefined ? [] : controlInputSchema.parse(input).run.models;
  });
}

const controlInputSchema = z.object({ run: z.object({ models: z.array(z.string()) }) });
