import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants } from 'node:fs';
import { access, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve as absolute } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { getReason } from '../../data/store/data-error';
import { classifyDiskError, getErrorCode } from '../../data/store/system-error';
import { isLocked, lockFile } from '../../data/store/lock';
import { readText, requireRegularFile } from '../../data/store/own-file';
import { readProcessStart } from '../../data/store/process-start';
import { makeDurableFolder, writeAtomically } from '../../data/store/store';
import { quotePath } from '../../schemas/text/shell-text';
import { buildChildEnvironment } from './child-environment';
import { removeEngineKey, writeEngineKey } from './engine-key';
import { startOnFreePort } from './free-port';
import { findLogSize, getLogFile, LOG_FILE, readLog } from './server-log';

/** Options of the embedded server. Its folder can be deleted at any time, at the price of repeating the calls in flight. */
export interface TemporalServerOptions {
  /** Path of the `temporal` program. */
  readonly binary: string;
  /** The engine's folder: its database, its log, and the file that identifies its process. */
  readonly folder: string;
  /** A free port if absent. */
  readonly port?: number;
  /** Port of the UI; no UI if absent. */
  readonly uiPort?: number;
  /** Further dynamic configuration of the server; tests lower its limits. */
  readonly dynamic?: Readonly<Record<string, string>>;
  /** Deletes the database first, and makes a new key. Answers in the journal are not requested again. */
  readonly afresh?: boolean;
  /** Called once the server's process runs, for work that can be done before it answers. */
  readonly whileStarting?: () => Promise<unknown>;
}

export interface RunningServer {
  /** `host:port` of the frontend. */
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server's process has ended, for any reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/** A port that the server needs is in use. */
class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** The server ended, or did not answer. The message has the end of its log. */
export class ServerFailed extends Error {
  override readonly name = 'ServerFailed';
}

/**
 * Starts Temporal's development server on this folder's database, bound to this machine, with a WAL database and one partition per
 * queue; resolves when it answers. It ends with this process, however that ends. Its environment has no keys, and its HTTP API
 * rejects every request. Other users of the machine reach its port, so everything on it is signed (`signed-payloads.ts`).
 * @throws PortTaken, IrregularFile, ServerFailed, or Error that says what to do when the folder cannot be written
 */
export async function startServer(requested: TemporalServerOptions): Promise<RunningServer> {
  const options = { ...requested, binary: absolute(requested.binary), folder: absolute(requested.folder) };
  await requireWritable(options.folder);
  for (const port of [options.port, options.uiPort]) {
    if (port !== undefined && !(await isFree(port))) {
      throw new PortTaken(
        `Port ${port} is in use by another program. Choose another port with --port or --ui-port.`,
      );
    }
  }
  // Retries also on a named port, because the server picks further ports itself.
  return startOnFreePort(
    (port) => startServerOn(options.port ?? port, options),
    (error) => error instanceof PortTaken,
  );
}

/** Finds the address of this folder's embedded server while it runs or starts; undefined if there is none. */
export async function findRunningServer(folder: string): Promise<string | undefined> {
  return isLocked(join(folder, LOCK_FILE), folder) ? (await findServer(folder))?.address : undefined;
}

/** Finds the address of the UI of this folder's embedded server; undefined while none runs. */
export async function findRunningUi(folder: string): Promise<string | undefined> {
  return isLocked(join(folder, LOCK_FILE), folder) ? (await findServer(folder))?.ui : undefined;
}

async function startServerOn(port: number, options: TemporalServerOptions): Promise<RunningServer> {
  const { folder } = options;
  const log = getLogFile(folder);
  for (const file of [log, ...listDatabaseFiles(folder)]) await requireRegularFile(file, folder, 'append');
  const before = await findLogSize(folder);
  const lock = await lockDatabase(folder);
  // Only after the lock, so that no server has it open.
  if (options.afresh === true) {
    await removeEngineKey(folder);
    await deleteDatabase(folder);
    await writeEngineKey(folder);
  }
  // Left by a dead server: other processes must not find its address.
  await rm(join(folder, PROCESS_FILE), { force: true });
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', log, options.binary, ...buildFlags(options, port)], {
    // SQLite reads a path as a URI, so a relative name is safe for any name of the folder.
    cwd: folder,
    // The server asks for the user's name and home, which a user of a container may not have.
    env: { USER: 'cupid', HOME: folder, ...buildChildEnvironment() },
    stdio: ['pipe', 'pipe', 'ignore', lock],
    // Its own group, so that Ctrl-C in the terminal reaches only the command, which stops the server last.
    detached: true,
  });
  closeSync(lock);
  const exited = new Promise<void>((resolve) => guard.once('close', () => resolve()));
  try {
    const pid = await readServerPid(guard);
    const address = `127.0.0.1:${port}`;
    const ui = options.uiPort === undefined ? {} : { ui: `http://127.0.0.1:${options.uiPort}` };
    const server: ServerProcess = { pid, started: await readProcessStart(pid), address, ...ui };
    // Atomic, because other processes look for it meanwhile.
    await writeAtomically(join(folder, PROCESS_FILE), JSON.stringify(server), folder);
    // Loads the SDK while the server starts.
    const { waitUntilReady } = await import('./server-ready.js');
    await Promise.all([waitUntilReady(address, exited), options.whileStarting?.()]);
    return { address, port, pid, exited, stop: () => stop(guard, exited, folder) };
  } catch (error) {
    await stop(guard, exited, folder);
    const logged = (await readLog(folder, before)).trim();
    // The server picks further ports itself, and ends with a stack trace if another program was faster.
    if (logged.includes('address already in use')) {
      throw new PortTaken(
        `Another program took a port while the embedded Temporal server started (${log}). Run the command again.`,
        { cause: error },
      );
    }
    const end = logged.split('\n').slice(-5).join('\n');
    throw new ServerFailed(
      `The embedded Temporal server did not start. The last lines of its log (${log}):\n${end}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Makes the engine's folder, and checks that this user may replace what is in it.
 * @throws Error that says what to do
 */
async function requireWritable(folder: string): Promise<void> {
  try {
    await makeDurableFolder(folder, { mode: 0o700 });
    await access(folder, constants.W_OK | constants.X_OK);
    for (const name of (await readdir(folder)).filter((file) => KEPT_FILES.has(file))) {
      await access(join(folder, name), constants.R_OK | constants.W_OK);
    }
  } catch (error) {
    if (classifyDiskError(error) !== 'disk') throw error;
    throw new Error(
      `The embedded Temporal server cannot use ${folder} (${getReason(error)}): it is read-only, or belongs to another user. Nothing in it is needed to continue. Remove it, and run the command again: rm -rf ${quotePath(folder)}`,
      { cause: error },
    );
  }
}

/**
 * Runs the server until standard input ends, which happens when we close it, and also when we are killed. Kills it then, which its database
 * survives: asked to stop, it would wait a second, or ten for queries that no worker answers anymore. Only the server keeps descriptor 3,
 * the lock on its database. Prints the server's process number first.
 */
const GUARD = `
log=$1; shift
exec 4<&0
"$@" 4<&- </dev/null >>"$log" 2>&1 &
server=$!
exec 3<&-
echo $server
{ cat <&4 >/dev/null; kill -KILL $server 2>/dev/null; } &
watch=$!
wait $server
code=$?
kill $watch 2>/dev/null
exit $code`;

const PROCESS_FILE = 'server.json';

/** Locked by the server while it lives, because a process number means nothing in another container. */
const LOCK_FILE = 'server.lock';

/** Files that the next start opens as they are; all others are replaced. */
const KEPT_FILES = new Set([LOG_FILE, LOCK_FILE]);

const serverProcessSchema = z.object({
  pid: z.number().int(),
  /** Distinguishes the process from a later one of the same number. */
  started: z.string(),
  address: z.string(),
  /** Address of its UI, if it has one; pages link to it. */
  ui: z
    .string()
    .regex(/^http:\/\/127\.0\.0\.1:\d+$/)
    .optional(),
});
type ServerProcess = z.infer<typeof serverProcessSchema>;

async function findServer(folder: string): Promise<ServerProcess | undefined> {
  try {
    return serverProcessSchema.parse(JSON.parse(await readText(join(folder, PROCESS_FILE), folder)));
  } catch {
    return undefined;
  }
}

function buildFlags({ uiPort, dynamic: further }: TemporalServerOptions, port: number): string[] {
  const dynamic = {
    ...further,
    // More partitions only add latency on a small server.
    'matching.numTaskqueueReadPartitions': '1',
    'matching.numTaskqueueWritePartitions': '1',
    // The default of newer servers.
    'matching.useNewMatcher': 'true',
    // The HTTP API cannot be turned off, and any web page can send it a request. No Host header can be this, so it
    // rejects them all.
    'frontend.httpAllowedHosts': '["#"]',
    'system.enableNexus': 'false',
  };
  return [
    'server',
    'start-dev',
    '--log-level=error',
    '--ip=127.0.0.1',
    `--port=${port}`,
    uiPort === undefined ? '--headless' : `--ui-port=${uiPort}`,
    '--db-filename=temporal.db',
    '--sqlite-pragma=journal_mode=wal',
    '--sqlite-pragma=synchronous=normal',
    ...Object.entries(dynamic).map(([key, value]) => `--dynamic-config-value=${key}=${value}`),
  ];
}

async function readServerPid(guard: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    guard.once('error', reject);
    guard.once('close', () => reject(new Error('The server ended at once.')));
    guard.stdout?.once('data', (line: Buffer) => resolve(Number(line.toString().trim())));
  });
}

async function stop(guard: ChildProcess, exited: Promise<void>, folder: string): Promise<void> {
  guard.stdin?.end();
  await exited;
  await rm(join(folder, PROCESS_FILE), { force: true });
}

/**
 * Takes the lock on this folder's database for the server to inherit, so that two never write to one. Kills an orphaned server. One of
 * another container ends by itself, once the command that started it is gone.
 * @throws Error when another server keeps it
 */
async function lockDatabase(folder: string): Promise<number> {
  for (const deadline = performance.now() + LOCK_TIMEOUT_MS; ;) {
    const lock = await lockFile(join(folder, LOCK_FILE), folder);
    if (lock !== undefined) return lock;
    const server = await findServer(folder);
    if (performance.now() > deadline) {
      throw new Error(
        `Another embedded Temporal server${server === undefined ? '' : ` (process ${server.pid}, ${server.address})`} has the database in ${folder} open. Stop the command that started it, then run this command again.`,
      );
    }
    if (server !== undefined) await killOrphan(server);
    await wait(100);
  }
}

const LOCK_TIMEOUT_MS = 20_000;

/**
 * Kills a server that this process can see, and whose guard was killed before it.
 */
async function killOrphan({ pid, started }: ServerProcess): Promise<void> {
  if ((await readProcessStart(pid)) !== started) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It is gone, or another user's.
    if (!['ESRCH', 'EPERM'].includes(getErrorCode(error) ?? '')) throw error;
  }
}

async function deleteDatabase(folder: string): Promise<void> {
  for (const file of listDatabaseFiles(folder)) await rm(file, { force: true });
}

function listDatabaseFiles(folder: string): string[] {
  return ['', '-wal', '-shm', '-journal'].map((suffix) => join(folder, `temporal.db${suffix}`));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
