import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { listModels } from '../../engine/model-facts/roles';
import { listCalledSpecs } from '../../rules/trials/cells';
import { EMBEDDED, isCluster } from '../../schemas/run/engine';
import type { RunKind } from '../../schemas/run/run';
import type { NamedService, Service } from '../../workers/server/connection';
import { isLocked } from '../../data/store/lock';
import { getLockFile, readLastWrite } from './run-lock';
import { findOpenRun, readRunFile, RunNotFound, type OpenRun } from './run-folder';
import { connectChosenCluster, isClusterChosen } from '../../workers/server/engine';
import { readEngineKey } from '../../workers/server/engine-key';
import { findRunningServer } from '../../workers/server/temporal-server';
import { parseRunKind } from './run-id';

export interface FoundRun {
  readonly id: string;
  readonly kind: RunKind;
  /** Name that the user gave. */
  readonly name: string;
  /** SPECs of the models that it calls; empty if unknown. */
  readonly models: readonly string[];
  /** Its folder; absent if it was named by its id on a cluster. */
  readonly held?: OpenRun;
  /** Name of its engine for the user. */
  readonly engine: string;
  /** Address of its engine; absent while that is stopped or out of reach. */
  readonly service?: Service;
  /** Why its engine is out of reach, and the remedy; absent while it is stopped. */
  readonly outOfReach?: string;
}

/** Known engines that can be reached from here. */
export interface Engines {
  /** Finds the address of the embedded server of an engine's folder; undefined while it is stopped. */
  readonly embedded: (folder: string) => Promise<string | undefined>;
  /** The cluster that the user chose; absent if the user chose none. */
  readonly cluster?: () => Promise<NamedService>;
}

/**
 * Finds a run by its folder, or by its id on the chosen cluster, also while another process drives it.
 * @throws RunNotFound, or RunFolderError when the folder holds no run that can be read
 */
export async function findRun(name: string, engines: Engines): Promise<FoundRun> {
  const openRun = await findOpenRun(name);
  if (openRun !== undefined) return findRunInFolder(name, openRun, engines);
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
  // Loads Temporal's client, which takes longer than most commands without an engine.
  const { fetchModels } = await import('./run-on-cluster.js');
  const models = await fetchModels(name, cluster);
  return { id: name, kind, name, models, engine: cluster.name, service: cluster };
}

async function findRunInFolder(name: string, openRun: OpenRun, engines: Engines): Promise<FoundRun> {
  const run = {
    id: openRun.plan.inputs.id,
    kind: openRun.kind,
    name,
    models: listModelsOfRun(openRun),
    held: openRun,
  };
  return { ...run, ...(await findEngine(openRun, engines)) };
}

/** Finds the engine of a run in its folder. */
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
  // No engine knows the run yet, or only an embedded one.
  const engine = folder.run?.engine ?? EMBEDDED;
  if (!isCluster(engine)) {
    const elsewhere =
      holder === undefined || holder.host === hostname()
        ? undefined
        : `Its embedded Temporal server runs on ${holder.host}, started by process ${holder.pid}. Run this command there.${await describeSilence(folder.path)}`;
    return { engine: EMBEDDED_NAME, ...(elsewhere === undefined ? {} : { outOfReach: elsewhere }) };
  }
  const cluster = await engines.cluster?.();
  if (cluster?.id === engine) return { engine: cluster.name, service: cluster };
  const clusterName = `Temporal cluster ${engine.replace(' ', ', namespace ')}`;
  const chosen = cluster === undefined ? 'no cluster is chosen' : `the ${cluster.name}, is chosen`;
  return {
    engine: clusterName,
    outOfReach: `It is on the ${clusterName}; ${chosen}. Choose that cluster with TEMPORAL_ADDRESS, TEMPORAL_PROFILE or --profile.`,
  };
}

/** Describes how to tell, and what to do, if the machine that drives a run is gone; empty if its lock shows that it is not. */
async function describeSilence(path: string): Promise<string> {
  const lock = getLockFile(path);
  if (isLocked(lock, path)) return '';
  const lastWrite = await readLastWrite(path);
  return ` Its last write to the folder was at ${lastWrite.toISOString()}. If that machine no longer exists, delete ${lock}.`;
}

/**
 * Returns whether a run in its folder continues as it was found, as the same run and on the same engine. Does not read its plan, a megabyte
 * for thousands of personas.
 */
export async function isAsFound({ held, service, outOfReach }: FoundRun, engines: Engines): Promise<boolean> {
  if (held === undefined) return false;
  if (!isDeepStrictEqual(await readRunFile<unknown>(held.folder), held.folder.run)) return false;
  const now = await findEngine(held, engines);
  return now.service?.connection.address === service?.connection.address && now.outOfReach === outOfReach;
}

const EMBEDDED_NAME = 'embedded Temporal server';

/** Lists the SPECs of all models of a run. */
export function listModelsOfRun(openRun: OpenRun): string[] {
  if (openRun.kind === 'synthesis') return listModels(openRun.plan.inputs);
  return listCalledSpecs(openRun.plan.inputs);
}

/** Returns a function that looks up the run of the command line anew at each call. */
export function createRunFinder(name: string, profile: string | undefined): () => Promise<FoundRun> {
  const engines = findEngines(profile);
  return () => findRun(name, engines);
}

/** Finds the engines that can be reached from here: embedded servers of this machine, and the chosen cluster. */
export function findEngines(profile: string | undefined): Engines {
  if (!isClusterChosen(profile)) return { embedded: findRunningServer };
  let connection: Promise<NamedService> | undefined;
  return {
    embedded: findRunningServer,
    async cluster() {
      // Checked once only: each use shows whether it answers at the moment.
      connection ??= connectChosenCluster(profile);
      try {
        return await connection;
      } catch (error) {
        connection = undefined;
        throw error;
      }
    },
  };
}
