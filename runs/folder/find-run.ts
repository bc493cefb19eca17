import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { z } from 'zod';
import { isEncrypted } from '../../data/encryption/encrypted-store';
import { readKeyring } from '../../data/encryption/keys';
import { decryptPayload, isEncryptedPayload } from '../../data/encryption/payloads';
import { classifyGrpcError } from '../../engine/grpc';
import { buildControlWorkflowId } from '../../engine/journal/key';
import { listModels } from '../../engine/model-facts/roles';
import { EMBEDDED, type RunKind } from '../../schemas/run/run';
import { connectTo, createClient, type NamedService, type Service } from '../../workers/server/connection';
import { findOpenRun, readRunFile, RunNotFound, type OpenRun } from './run-folder';
import { connectChosenCluster, isClusterChosen } from '../../workers/server/engine';
import { findRunningServer } from '../../workers/server/temporal-server';
import { parseRunKind } from './run-id';

export interface FoundRun {
  readonly id: string;
  readonly kind: RunKind;
  /** As it was named. */
  readonly name: string;
  /** The SPECs of the models that it asks; none where unknown. */
  readonly models: readonly string[];
  /** Where it is kept; absent when it was named by its id on a cluster. */
  readonly held?: OpenRun;
  /** Names its engine to a person. */
  readonly engine: string;
  /** Where its engine answers; absent while that is stopped, or out of reach. */
  readonly service?: Service;
  /** Why its engine is out of reach, and what would help; absent while it is stopped. */
  readonly outOfReach?: string;
}

/** What can be reached from here, as far as servers and clusters are known. */
export interface Engines {
  /** Where the embedded server of an engine's folder answers; undefined while it is stopped. */
  readonly embedded: (folder: string) => Promise<string | undefined>;
  /** The cluster that was chosen (decision 14); absent when none was. */
  readonly cluster?: () => Promise<NamedService>;
}

/**
 * Finds a run by its folder, or by its id on the cluster that was chosen, also while another process drives it.
 * @throws RunNotFound, or RunFolderError when the folder holds no run that can be read
 */
export async function findRun(name: string, engines: Engines): Promise<FoundRun> {
  const held = await findOpenRun(name);
  if (held !== undefined) return findRunInFolder(name, held, engines);
  const kind = parseRunKind(name);
  if (kind === undefined) {
    throw new RunNotFound(
      `There is no folder ${name}, and it is not a run id. Name a run folder, or an id such as cupid-1a2b3c4d.`,
    );
  }
  if (engines.cluster === undefined) {
    throw new RunNotFound(
      `There is no folder ${name}. Name the run folder. To find a run on a cluster by its id, choose the cluster with TEMPORAL_ADDRESS, TEMPORAL_PROFILE or --profile.`,
    );
  }
  return onCluster(name, kind, await engines.cluster());
}

async function findRunInFolder(name: string, held: OpenRun, engines: Engines): Promise<FoundRun> {
  const found = { id: held.plan.inputs.id, kind: held.kind, name, models: listModelsOfRun(held), held };
  return { ...found, ...(await findEngine(held, engines)) };
}

/** The engine of a run in its folder. */
async function findEngine(
  { folder, holder }: OpenRun,
  engines: Engines,
): Promise<Pick<FoundRun, 'engine' | 'service' | 'outOfReach'>> {
  const address = await engines.embedded(folder.engine);
  const secrecy = { isEncrypted: await isEncrypted(folder.store) };
  if (address !== undefined) {
    const service = { connection: { address }, namespace: 'default', ...secrecy };
    return { engine: EMBEDDED_NAME, service };
  }
  // No engine knows it yet, or one of its own does.
  const engine = folder.run?.engine ?? EMBEDDED;
  if (engine === EMBEDDED) {
    const elsewhere =
      holder === undefined || holder.host === hostname()
        ? undefined
        : `Its engine runs on ${holder.host}, with process ${holder.pid}. Run this command there.`;
    return { engine: EMBEDDED_NAME, ...(elsewhere === undefined ? {} : { outOfReach: elsewhere }) };
  }
  const cluster = await engines.cluster?.();
  if (cluster?.id === engine) return { engine: cluster.name, service: { ...cluster, ...secrecy } };
  const own = `Temporal cluster ${engine.replace(' ', ', namespace ')}`;
  const chosen = cluster === undefined ? 'no cluster is chosen' : `the ${cluster.name}, is chosen`;
  return {
    engine: own,
    outOfReach: `It is on the ${own}; ${chosen}. Choose that cluster with TEMPORAL_ADDRESS, TEMPORAL_PROFILE or --profile.`,
  };
}

/**
 * Whether a run in its folder is still carried on as it was found, by the same engine and as the same run. Its plan, a megabyte for
 * thousands of personas, is not read for that.
 */
export async function isAsFound({ held, service }: FoundRun, engines: Engines): Promise<boolean> {
  if (held === undefined) return false;
  if (!isDeepStrictEqual(await readRunFile<unknown>(held.folder), held.folder.run)) return false;
  const now = await findEngine(held, engines);
  return now.service?.connection.address === service?.connection.address;
}

const EMBEDDED_NAME = 'embedded engine';

/** The SPECs of all models of a run. */
export function listModelsOfRun(held: OpenRun): string[] {
  if (held.kind === 'synthesis') return listModels(held.plan.inputs);
  const { models, evaluators } = held.plan.inputs;
  return [...new Set([...models, ...evaluators])];
}

async function onCluster(id: string, kind: RunKind, cluster: NamedService): Promise<FoundRun> {
  const connection = await connectTo(cluster.connection);
  try {
    const client = createClient(connection, cluster);
    const { models, ...secrecy } = await fetchControlled(client, id, cluster);
    return { id, kind, name: id, models, engine: cluster.name, service: { ...cluster, ...secrecy } };
  } finally {
    await connection.close();
  }
}

/**
 * What the run's control workflow was started with: the models, and whether they were encrypted. Every run has one, but not always a workflow
 * of its own id: its batches and its studies have others.
 * @throws RunNotFound, EncryptionError
 */
async function fetchControlled(
  client: Client,
  id: string,
  cluster: NamedService,
): Promise<{ readonly models: readonly string[]; readonly isEncrypted: boolean }> {
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

/** Looks up the run named on the command line, again at each call. */
export function createRunFinder(name: string, profile: string | undefined): () => Promise<FoundRun> {
  const engines = findEngines(profile);
  return () => findRun(name, engines);
}

/** What can be reached from here: embedded servers of this machine, and the cluster that was chosen. */
export function findEngines(profile: string | undefined): Engines {
  if (!isClusterChosen(profile)) return { embedded: findRunningServer };
  let known: Promise<NamedService> | undefined;
  return {
    embedded: findRunningServer,
    async cluster() {
      // Checked once only: whether it answers at this moment is found out by using it.
      known ??= connectChosenCluster(profile);
      try {
        return await known;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
  };
}
