import { setTimeout as wait } from 'node:timers/promises';
import { findFileLimit } from '../../data/store/machine-limits';
import { EMBEDDED } from '../../schemas/run/engine';
import type { Engine } from './connection';
import { EngineDamaged } from './engine-damaged';
import { readEngineKey } from './engine-key';
import { findLogSize, getLogFile, readLog } from './server-log';
import type { TemporalBinary } from './temporal-binary';
import { ServerFailed, startServer, type RunningServer, type TemporalServerOptions } from './temporal-server';

/** Returns whether the environment or a named profile selects a cluster. Nothing else does, so no run reaches one by accident. */
export function isClusterChosen(profile: string | undefined): boolean {
  return [profile, process.env['TEMPORAL_ADDRESS'], process.env['TEMPORAL_PROFILE']].some(
    (value) => value !== undefined && value !== '',
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
 * Starts the embedded engine on a folder, and restarts it on the same port whenever it ends unexpectedly. Its database is always new:
 * workflows start from the journal, so nothing depends on what a crash, a disk or another version made of an earlier one.
 * @param report receives a line for each restart
 * @throws Error that says what to do when the folder cannot be written
 */
export async function startEmbedded(
  folder: string,
  binary: TemporalBinary,
  {
    report,
    ...options
  }: Pick<TemporalServerOptions, 'whileStarting'> & { readonly report: (line: string) => void },
): Promise<Engine> {
  let server = await startServer({ ...options, afresh: true, binary: binary.path, folder });
  const key = await readEngineKey(folder);
  if (key === undefined) {
    await server.stop();
    throw new Error(
      `The key of the embedded Temporal server was removed from ${folder} while it started. Run the command again.`,
    );
  }
  const { address, port } = server;
  const stopping = new AbortController();
  const supervise = async (runningServer: RunningServer): Promise<void> => {
    await runningServer.exited;
    for (let tries = 0; !stopping.signal.aborted; tries += 1) {
      report(
        `The embedded Temporal server ended unexpectedly. Starting it again. (Its log: ${getLogFile(folder)}.) If the run no longer advances, stop it with Ctrl-C and repeat the command.`,
      );
      try {
        server = await startServer({ binary: binary.path, folder, port });
        // Disposed of during the restart, when only the dead server could be stopped.
        if (stopping.signal.aborted) return await server.stop();
        return await supervise(server);
      } catch (error) {
        if (error instanceof ServerFailed && isDatabaseAtFault(error.message, tries)) {
          throw new EngineDamaged(error.message, { cause: error });
        }
        report(error instanceof Error ? error.message : String(error));
        await wait(Math.min(1_000 * 2 ** tries, 30_000), undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
      }
    }
  };
  const supervised = supervise(server);
  const database = await watchDatabase(folder, stopping.signal);
  const damaged = Promise.all([supervised, database.watch()]).then(() => new Promise<never>(() => undefined));
  // It may reject before anybody waits for it.
  damaged.catch(() => undefined);
  return {
    id: EMBEDDED,
    name: `embedded Temporal server ${binary.server}`,
    connection: { address },
    namespace: 'default',
    key,
    database: { damaged, check: () => database.check() },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.stop();
      await supervised.catch(() => undefined);
    },
  };
}

/** Looks for SQLite's words for a damaged database in what the server writes to its log from now on. */
async function watchDatabase(folder: string, stop: AbortSignal) {
  let checkedBytes = await findLogSize(folder);
  const check = async (): Promise<void> => {
    const size = await findLogSize(folder);
    if (size <= checkedBytes) return;
    const lines = await readLog(folder, checkedBytes);
    const damage = findDamage(lines);
    if (damage !== undefined) throw new EngineDamaged(`Its log (${getLogFile(folder)}) says: ${damage}.`);
    const limit = isUnwritable(lines) ? findFileLimit("The embedded Temporal server's database") : undefined;
    if (limit !== undefined) throw limit;
    checkedBytes = size;
  };
  const watch = async (): Promise<void> => {
    while (!stop.aborted) {
      await wait(WATCH_INTERVAL_MS, undefined, { signal: stop, ref: false }).catch(() => undefined);
      await check();
    }
  };
  return { check, watch };
}

/** Finds SQLite's words for a damaged database in lines of the server's log. A full disk is none: it passes. */
export function findDamage(lines: string): string | undefined {
  return /database disk image is malformed|file is not a database|malformed database schema/.exec(lines)?.[0];
}

/** Returns true if SQLite could not write, in lines of the server's log (SQLITE_IOERR_WRITE). */
export function isUnwritable(lines: string): boolean {
  return lines.includes('disk I/O error (778)');
}

/**
 * Decides whether a server that failed to start needs a new database. Without SQLite's words for damage, it may be the machine's fault, so
 * it is tried a few times more.
 * @param tries earlier ones in a row
 */
export function isDatabaseAtFault(lines: string, tries: number): boolean {
  if (findDamage(lines) !== undefined) return true;
  return tries >= MOST_RESTARTS && !/disk is full|no space left/i.test(lines);
}

const MOST_RESTARTS = 3;

const WATCH_INTERVAL_MS = 2_000;
