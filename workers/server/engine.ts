import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EMBEDDED } from '../../schemas/run/run';
import type { Engine } from './connection';
import { readEngineKey } from './engine-key';
import type { TemporalBinary } from './temporal-binary';
import { startServer, type RunningServer, type ServerOptions } from './temporal-server';

/** Returns whether the environment or a named profile selects a cluster. Nothing else does, so no run reaches one by accident. */
export function isClusterChosen(profile: string | undefined): boolean {
  return [profile, process.env['TEMPORAL_ADDRESS'], process.env['TEMPORAL_PROFILE']].some(
    (chosen) => chosen !== undefined && chosen !== '',
  );
}

/**
 * Connects to the cluster that the environment or the profile chooses. @throws Error when it does not answer or is too
 * old
 */
export async function connectChosenCluster(profile: string | undefined): Promise<Engine> {
  const { connectCluster } = await import('./cluster.js');
  return connectCluster(profile);
}

/**
 * Starts the embedded engine on a folder, and restarts it on the same port whenever it ends unexpectedly.
 * @param report receives a line for each restart
 */
export async function startEmbedded(
  folder: string,
  binary: TemporalBinary,
  {
    report,
    ...options
  }: Pick<ServerOptions, 'afresh' | 'whileStarting'> & { readonly report: (line: string) => void },
): Promise<Engine> {
  // If there is no key, the run's own messages cannot be distinguished from those of other users, so the database is new.
  const afresh = options.afresh === true || (await readEngineKey(folder)) === undefined;
  let server = await startServer({ ...options, afresh, binary: binary.path, folder });
  const key = await readEngineKey(folder);
  if (key === undefined) {
    await server.stop();
    throw new Error(
      `The key of the Temporal server was removed from ${folder} while it started. Run the command again.`,
    );
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
        // Disposed of during the restart, when only the dead server could be stopped.
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
    key,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.stop();
      await supervised;
    },
  };
}
