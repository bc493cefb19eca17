import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { listModels } from '../../engine/model-facts/roles';
import { EMBEDDED, type RunKind } from '../../schemas/run/run';
import type { NamedService, Service } from '../../workers/server/connection';
import { findOpenRun, readRunFile, RunNotFound, type OpenRun } from './run-folder';
import { connectChosenCluster, isClusterChosen } from '../../workers/server/engine';
import { readEngineKey } from '../../workers/server/engine-key';
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
  /** The cluster that the user chose; absent if the user chose none. */
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
  const cluster = await engines.cluster();
  // Loads Temporal's client, which takes longer than most commands that need no engine.
  const { fetchModels } = await import('./run-on-cluster.js');
  const models = await fetchModels(name, cluster);
  return { id: name, kind, name, models, engine: cluster.name, service: cluster };
}

async function findRunInFolder(name: string, held: OpenRun, engines: Engines): Promise<FoundRun> {
  const found = { id: held.plan.inputs.id, kind: held.kind, name, models: listModelsOfRun(held), held };
  return { ...found, ...(await findEngine(held, engines)) };
}

/** Returns the engine of a run in its folder. */
async function findEngine(
  { folder, holder }: OpenRun,
  engines: Engines,
): Promise<Pick<FoundRun, 'engine' | 'service' | 'outOfReach'>> {
  const address = await engines.embedded(folder.engine);
  if (address !== undefined) {
    const key = await readEngineKey(folder.engine);
    const service = { connection: { address }, namespace: 'default', ...(key && { key }) };
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
  if (cluster?.id === engine) return { engine: cluster.name, service: cluster };
  const own = `Temporal cluster ${engine.replace(' ', ', namespace ')}`;
  const chosen = cluster === undefined ? 'no cluster is chosen' : `the ${cluster.name}, is chosen`;
  return {
    engine: own,
    outOfReach: `It is on the ${own}; ${chosen}. Choose that cluster with TEMPORAL_ADDRESS, TEMPORAL_PROFILE or --profile.`,
  };
}

/**
 * Returns whether a run in its folder is still carried on as it was found, by the same engine and as the same run. Its plan, a megabyte for
 * thousands of personas, is not read for that.
 */
export async function isAsFound({ held, service }: FoundRun, engines: Engines): Promise<boolean> {
  if (held === undefined) return false;
  if (!isDeepStrictEqual(await readRunFile<unknown>(held.folder), held.folder.run)) return false;
  const now = await findEngine(held, engines);
  return now.service?.connection.address === service?.connection.address;
}

const EMBEDDED_NAME = 'embedded engine';

/** Returns the SPECs of all models of a run. */
export function listModelsOfRun(held: OpenRun): string[] {
  if (held.kind === 'synthesis') return listModels(held.plan.inputs);
  const { models, evaluators } = held.plan.inputs;
  return [...new Set([...models, ...evaluators])];
}

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
