import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir, hostname, userInfo } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { explainError } from '../../data/store/explain-error';
import { hashFile } from '../../data/store/files';
import { LockedError, takeLock } from '../../data/store/lock';
import { makeDurableFolder, syncPath } from '../../data/store/store';
import { buildChildEnvironment } from './child-environment';
import { buildTemporal, checkBuild, formatGoPackage, OLDEST_GO } from './temporal-build';
import { checkDownload, DOWNLOAD_SOURCE, downloadTemporal } from './temporal-download';
import { compareVersions } from './versions';

/** Release that is built or downloaded: the last one that `go install` can build. */
export const CLI_VERSION = '1.5.1';
const SERVER_VERSION = '1.29.1';

/** Oldest supported server, the first with priorities and live queue limits. */
export const OLDEST_SERVER = '1.29.0';

/** Variable that names the program; no other is looked for then. */
const NAMED = 'CUPID_TEMPORAL';

/** Variable with the SHA-256 that the program must have before it is run. */
const PINNED = 'CUPID_TEMPORAL_SHA256';

export interface TemporalBinary {
  readonly path: string;
  readonly origin: typeof NAMED | 'PATH' | 'cache' | 'downloaded' | 'built';
  /** The server's version, such as `1.29.1`. */
  readonly server: string;
}

export class TemporalNotFound extends Error {
  override readonly name = 'TemporalNotFound';
}

/**
 * Finds the Temporal server's program: the one that CUPID_TEMPORAL names; else from PATH, from the cache, downloaded, or built from its Go
 * module, which takes minutes. Skips one that is too old, or does not have the pinned SHA-256.
 * @param report receives a line for each slow step
 * @param signal ends a download or a build, and leaves nothing of it behind
 * @throws TemporalNotFound that says what was tried and what to install
 */
export async function findTemporal(
  report: (line: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<TemporalBinary> {
  const problems: string[] = [];
  const installed = await findInstalledTemporal(problems);
  if (installed !== undefined) return installed;
  await checkCache();
  for (const line of problems) report(line);
  const release = await takeTurn(report, signal);
  try {
    const binary =
      (await findInstalledTemporal([])) ??
      (await download(problems, report, signal)) ??
      (await buildServer(problems, report, signal));
    if (binary !== undefined) return binary;
  } finally {
    release();
  }
  throw new TemporalNotFound(
    [
      'No Temporal server could be found, downloaded or built:',
      ...problems.map((line) => `- ${line}`),
      REMEDY,
    ].join('\n'),
  );
}

/**
 * Waits while another command of this machine installs the server: builds side by side take as many times as long. Where the lock cannot be taken,
 * for example because the cache is on a network that has none, the command does not wait.
 * @returns the function that lets the next command go on
 */
async function takeTurn(report: (line: string) => void, signal: AbortSignal): Promise<() => void> {
  const cache = getCacheFolder();
  for (let isSaid = false; ; isSaid = true) {
    signal.throwIfAborted();
    try {
      return await takeLock(`${cache}.lock`, dirname(dirname(cache)));
    } catch (error) {
      if (!(error instanceof LockedError) || error.holder.host !== hostname()) return () => undefined;
      if (!isSaid)
        report(`Process ${error.holder.pid} is installing the Temporal server. Waiting until it is done.`);
      await wait(POLL_MS);
    }
  }
}

const POLL_MS = 500;

/** Remedy if there is no server and none can be installed. */
export const REMEDY = `Install the Temporal CLI (server ${OLDEST_SERVER} or newer) so that "temporal" is on PATH, name it with ${NAMED}=/path/to/temporal, or install Go ${OLDEST_GO} or newer, and run the command again. To use a cluster instead, set TEMPORAL_ADDRESS.`;

/** Forecast of how a command would get the server. */
interface TemporalForecast {
  readonly from: 'installed' | 'download' | 'build' | 'nowhere';
  /** Path and version of an installed one. */
  readonly binary?: TemporalBinary;
  /** Reasons why earlier candidates are not used. */
  readonly problems: readonly string[];
}

/** Predicts the result of `findTemporal` without a download or a build. */
export async function forecastTemporal(): Promise<TemporalForecast> {
  const problems: string[] = [];
  try {
    const binary = await findInstalledTemporal(problems);
    if (binary !== undefined) return { from: 'installed', binary, problems };
    await checkCache();
  } catch (error) {
    if (!(error instanceof TemporalNotFound)) throw error;
    return { from: 'nowhere', problems: [error.message] };
  }
  for (const [from, check, problem] of [
    ['download', checkDownload, 'It cannot be downloaded'],
    ['build', checkBuild, 'It cannot be built'],
  ] as const) {
    try {
      await check(CLI_VERSION);
      return { from, problems };
    } catch (error) {
      problems.push(`${problem}: ${getReason(error)}.`);
    }
  }
  return { from: 'nowhere', problems };
}

/** Finds the program on this machine; undefined if none is usable. */
async function findInstalledTemporal(problems: string[]): Promise<TemporalBinary | undefined> {
  const program = process.env[NAMED];
  if (program !== undefined && program !== '') {
    const binary = await checkBinary(resolve(program), NAMED, problems);
    if (binary !== undefined) return binary;
    throw new TemporalNotFound(
      `${NAMED} names a program that cannot be used: ${problems.join(' ')} Fix ${NAMED}, or unset it so that cupid finds a server.`,
    );
  }
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'temporal');
    // A relative folder would run a program from the current directory.
    if (!isAbsolute(folder) || !(await isExecutable(path))) continue;
    const binary = await checkBinary(path, 'PATH', problems);
    if (binary !== undefined) return binary;
    break;
  }
  const path = join(getCacheFolder(), 'temporal');
  return (await isExecutable(path)) ? checkBinary(path, 'cache', problems) : undefined;
}

/** Checks a program's hash before it runs it, then its version. */
async function checkBinary(
  path: string,
  origin: TemporalBinary['origin'],
  problems: string[],
): Promise<TemporalBinary | undefined> {
  if (!(await isExecutable(path))) {
    problems.push(`${path} is not a program.`);
    return undefined;
  }
  const pinned = findPinnedHash();
  if (pinned !== undefined) {
    const { sha256 } = await hashFile(path);
    if (sha256 !== pinned) {
      problems.push(`${path} is skipped: its SHA-256 is ${sha256}, but ${PINNED} is ${pinned}.`);
      return undefined;
    }
  }
  // It was checked before it was added to the cache. Running it would take a twentieth of the processor time of a small run.
  const server = origin === 'cache' ? SERVER_VERSION : await readServerVersion(path);
  if (server !== undefined && compareVersions(server, OLDEST_SERVER) >= 0) return { path, origin, server };
  problems.push(
    server === undefined
      ? `${path} is skipped: "temporal --version" does not report a server version.`
      : `${path} is skipped: it contains Temporal server ${server}, but ${OLDEST_SERVER} or newer is needed.`,
  );
  return undefined;
}

function findPinnedHash(): string | undefined {
  const pinned = process.env[PINNED];
  if (pinned === undefined || pinned === '') return undefined;
  if (/^[\da-f]{64}$/i.test(pinned)) return pinned.toLowerCase();
  throw new TemporalNotFound(
    `${PINNED} must be the SHA-256 of the Temporal CLI, 64 hexadecimal digits (sha256sum "$(which temporal)" prints it), but it is ${JSON.stringify(pinned)}. Fix it, or unset it.`,
  );
}

async function readServerVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], {
      env: buildChildEnvironment(),
      timeout: 20_000,
    });
    return /Server (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

async function download(
  problems: string[],
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<TemporalBinary | undefined> {
  report(
    `Downloading the Temporal server (CLI ${CLI_VERSION}) from ${DOWNLOAD_SOURCE}. It is verified by HTTPS only. Set ${PINNED} to accept only one program, or ${NAMED} to use your own.`,
  );
  try {
    return await addToCache('downloaded', problems, report, (folder) =>
      downloadTemporal(CLI_VERSION, folder, signal),
    );
  } catch (error) {
    signal.throwIfAborted();
    problems.push(`The download failed: ${getReason(error)}.`);
    report(`The download failed: ${getReason(error)}.`);
    return undefined;
  }
}

async function buildServer(
  problems: string[],
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<TemporalBinary | undefined> {
  report(
    `Building the Temporal server from its Go module ${formatGoPackage(CLI_VERSION)}. This happens once; it takes about five minutes on two cores, and 3 GB for Go's caches. After a Ctrl-C, the next command continues it.`,
  );
  const start = performance.now();
  const timer = setInterval(() => {
    report(`Still building (${Math.round((performance.now() - start) / 1000)} s).`);
  }, 30_000);
  try {
    return await addToCache('built', problems, report, (folder) =>
      buildTemporal(CLI_VERSION, folder, signal),
    );
  } catch (error) {
    signal.throwIfAborted();
    problems.push(`The build failed: ${getReason(error)}.`);
    return undefined;
  } finally {
    clearInterval(timer);
  }
}

/** Makes a program in a folder of its own, checks it, then moves it into the cache: a crash leaves no partial program there. */
async function addToCache(
  origin: 'downloaded' | 'built',
  problems: string[],
  report: (line: string) => void,
  make: (folder: string) => Promise<string>,
): Promise<TemporalBinary | undefined> {
  const cache = getCacheFolder();
  await makeDurableFolder(cache, { mode: 0o700 });
  const folder = await mkdtemp(join(cache, '.making-'));
  try {
    const builtProgram = await make(folder);
    const binary = await checkBinary(builtProgram, origin, problems);
    if (binary === undefined) return undefined;
    const path = join(cache, 'temporal');
    const { sha256 } = await hashFile(builtProgram);
    await syncPath(builtProgram);
    await rename(builtProgram, path);
    report(`The Temporal server is in ${path} (SHA-256 ${sha256}).`);
    return { ...binary, path };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the folder by the XDG rules: a variable that is empty, or not an absolute path, counts as unset.
 * @throws TemporalNotFound for a user without a home directory, as in some containers
 */
function getCacheFolder(): string {
  const cacheRoot = process.env['XDG_CACHE_HOME'] ?? '';
  return join(
    isAbsolute(cacheRoot) ? cacheRoot : join(findHome(), '.cache'),
    'cupid',
    `temporal-${CLI_VERSION}`,
  );
}

function findHome(): string {
  try {
    return isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  } catch (error) {
    throw new TemporalNotFound(explainError(error) ?? getReason(error), { cause: error });
  }
}

/** Checks that the server can be added to the cache, before minutes are spent on it. @throws TemporalNotFound */
async function checkCache(): Promise<void> {
  const cache = getCacheFolder();
  try {
    // It stays, because another command may be about to use it.
    await makeDurableFolder(cache, { mode: 0o700 });
    await access(cache, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new TemporalNotFound(
      `The Temporal server cannot be kept in ${cache}. ${explainError(error) ?? getReason(error)} Or set XDG_CACHE_HOME to a folder that you may write to.`,
      { cause: error },
    );
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function getReason(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/\.$/, '');
}
