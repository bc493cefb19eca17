import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { EMBEDDED } from '../schemas/run';
import { OLDEST_SERVER, type TemporalBinary } from './temporal-binary';
import { startServer, type RunningServer } from './temporal-server';
import { compareVersions } from './versions';

/** A Temporal service to run on: embedded, which ends when it is disposed of, or a cluster. */
export interface Engine extends AsyncDisposable {
  /** Identifies it: `embedded`, or address and namespace. */
  readonly id: string;
  /** How messages name it. */
  readonly name: string;
  readonly connection: ServiceAddress;
  readonly namespace: string;
}

/** Where a Temporal service is and how to be let in: what clients and workers both take. */
export type ServiceAddress = Pick<
  NativeConnectionOptions & ConnectionOptions,
  'address' | 'tls' | 'metadata' | 'apiKey'
>;

/** True when the environment, or a named profile, chooses a cluster (decision 14). */
export function clusterChosen(profile: string | undefined): boolean {
  return [profile, process.env['TEMPORAL_ADDRESS'], process.env['TEMPORAL_PROFILE']].some(
    (chosen) => chosen !== undefined && chosen !== '',
  );
}

/**
 * The cluster that the environment or the profile chooses, by the same variables and file as Temporal's own tools.
 * @throws Error when it does not answer or is too old
 */
export async function connectCluster(profile: string | undefined): Promise<Engine> {
  const chosen = chosenConfig(profile);
  const { namespace = 'default' } = chosen;
  const service = serviceOf(chosen.connectionOptions);
  const address = service.address ?? 'localhost:7233';
  let version: string;
  try {
    version = await serverVersion(service, namespace);
  } catch (error) {
    throw new Error(
      `The Temporal cluster at ${address} does not answer for namespace ${namespace} (${error instanceof Error ? error.message : String(error)}). Check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, or the profile. To use the embedded server, unset them.`,
      { cause: error },
    );
  }
  if (isTooOld(version)) {
    throw new Error(
      `The Temporal cluster at ${address} runs server ${version}, but ${OLDEST_SERVER} or newer is needed. Upgrade it, or unset TEMPORAL_ADDRESS to use the embedded server.`,
    );
  }
  return {
    id: `${address} ${namespace}`,
    name: `Temporal cluster ${address}, namespace ${namespace}`,
    connection: service,
    namespace,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The version that the server reports; one that is not too old answers for the namespace as well. */
async function serverVersion(service: ServiceAddress, namespace: string): Promise<string> {
  // Not `connect`, which leaves its channel open when it fails.
  const connection = Connection.lazy({ ...service, connectTimeout: '10 seconds' });
  try {
    await connection.ensureConnected();
    const { serverVersion: version } = await connection.workflowService.getSystemInfo({});
    if (!isTooOld(version)) await connection.workflowService.describeNamespace({ namespace });
    return version;
  } finally {
    await connection.close();
  }
}

// A cluster that does not report its version is accepted.
function isTooOld(version: string): boolean {
  return version !== '' && compareVersions(version, OLDEST_SERVER) < 0;
}

/**
 * Starts the embedded engine on a folder, and starts it again on the same port whenever it ends unasked.
 * @param afresh deletes its database first: what the journal holds is not asked again, whatever the engine forgot
 * @param report called with a line for each restart
 */
export async function startEmbedded(
  folder: string,
  binary: TemporalBinary,
  { afresh, report }: { readonly afresh: boolean; readonly report: (line: string) => void },
): Promise<Engine> {
  let server = await startServer({ binary: binary.path, folder });
  if (afresh) {
    // Only now: starting it ended whatever server was left on that database.
    await server.stop();
    await deleteDatabase(folder);
    server = await startServer({ binary: binary.path, folder });
  }
  const { address, port } = server;
  const stopping = new AbortController();
  const supervise = async (watched: RunningServer): Promise<void> => {
    await watched.exited;
    for (let tries = 0; !stopping.signal.aborted; tries += 1) {
      report(
        `The Temporal server ended unexpectedly. Starting it again. (Its log: ${join(folder, 'server.log')}.)`,
      );
      try {
        server = await startServer({ binary: binary.path, folder, port });
        // Disposed of while it started: the one that was stopped then was the dead one.
        if (stopping.signal.aborted) return await server.stop();
        return await supervise(server);
      } catch (error) {
        report(error instanceof Error ? error.message : String(error));
        await wait(Math.min(1_000 * 2 ** tries, 30_000), undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
      }
    }
  };
  const supervised = supervise(server);
  return {
    id: EMBEDDED,
    name: `embedded Temporal server ${binary.server} (${binary.origin})`,
    connection: { address },
    namespace: 'default',
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.stop();
      await supervised;
    },
  };
}

function chosenConfig(profile: string | undefined): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig(profile === undefined ? {} : { profile });
  } catch (error) {
    throw new Error(
      `Temporal's configuration names no cluster (${error instanceof Error ? error.message : String(error)}). Check --profile, TEMPORAL_PROFILE, and the file named by TEMPORAL_CONFIG_FILE. To use the embedded server, leave out --profile and unset TEMPORAL_PROFILE.`,
      { cause: error },
    );
  }
}

function serviceOf({ address, tls, metadata, apiKey }: ConnectionOptions): ServiceAddress {
  return {
    ...(address === undefined ? {} : { address }),
    ...(tls === undefined ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
  };
}

async function deleteDatabase(folder: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(join(folder, `temporal.db${suffix}`), { force: true });
}
