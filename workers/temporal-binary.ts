import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../data/error-code';

/** The release that is built or downloaded: the last one `go install` can build. It brings server 1.29.1. */
export const CLI_VERSION = '1.5.1';

/** The oldest server this runs on: priorities and live queue limits came with it. */
export const OLDEST_SERVER = '1.29.0';

const GO_MODULE = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`;

export interface TemporalBinary {
  readonly path: string;
  readonly origin: 'PATH' | 'cache' | 'downloaded' | 'built';
  /** The server's version, such as `1.29.1`. */
  readonly server: string;
}

export class TemporalNotFound extends Error {
  override readonly name = 'TemporalNotFound';
}

/**
 * The Temporal server's program: from PATH, else from the cache, else downloaded by the SDK, else built from its Go
 * module, which takes minutes. One that is too old is passed over.
 * @param report told what takes long, a line at a time
 * @throws TemporalNotFound that says what was tried and what to install
 */
export async function findTemporal(report: (line: string) => void): Promise<TemporalBinary> {
  const tried: string[] = [];
  const found = await installedTemporal(tried);
  if (found !== undefined) return found;
  for (const line of tried) report(line);
  return (await download(tried, report)) ?? (await build(tried, report)) ?? notFound(tried);
}

/**
 * The program as it is on this machine already, from PATH or the cache; undefined when there is none new enough.
 * @param tried gets a line for each that was passed over
 */
export async function installedTemporal(tried: string[] = []): Promise<TemporalBinary | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'temporal');
    if (folder === '' || !(await isExecutable(path))) continue;
    const binary = await usable(path, 'PATH', tried);
    if (binary !== undefined) return binary;
    break;
  }
  const path = join(cacheFolder(), 'temporal');
  return (await isExecutable(path)) ? usable(path, 'cache', tried) : undefined;
}

async function usable(
  path: string,
  origin: TemporalBinary['origin'],
  tried: string[],
): Promise<TemporalBinary | undefined> {
  const server = await serverVersion(path);
  if (server !== undefined && compareVersions(server, OLDEST_SERVER) >= 0) return { path, origin, server };
  tried.push(
    server === undefined
      ? `${path} does not tell its server's version, so it is passed over.`
      : `${path} brings Temporal server ${server}, but ${OLDEST_SERVER} is needed, so it is passed over.`,
  );
  return undefined;
}

async function serverVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000 });
    return /Server (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** Below 0 when `a` is older than `b`, above when newer. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

async function download(
  tried: string[],
  report: (line: string) => void,
): Promise<TemporalBinary | undefined> {
  report(`Downloading the Temporal server (CLI ${CLI_VERSION}) …`);
  try {
    return await intoCache('downloaded', tried, async (folder) => {
      // Only the SDK knows where to download from; it starts what it downloaded, so it is stopped again.
      const { TestWorkflowEnvironment } = await import('@temporalio/testing');
      const environment = await TestWorkflowEnvironment.createLocal({
        server: {
          executable: { type: 'cached-download', version: `v${CLI_VERSION}`, downloadDir: folder },
        },
      });
      await environment.teardown();
      const file = (await readdir(folder)).find((name) => name.startsWith('temporal'));
      return file === undefined ? undefined : join(folder, file);
    });
  } catch (error) {
    tried.push(`The download failed: ${firstLine(error)}`);
    report(`It cannot be downloaded here (${firstLine(error)}).`);
    return undefined;
  }
}

async function build(tried: string[], report: (line: string) => void): Promise<TemporalBinary | undefined> {
  report(
    `Building the Temporal server from its Go module ${GO_MODULE}; once, about five minutes on two cores, and 3 GB of Go's own caches …`,
  );
  const start = performance.now();
  const timer = setInterval(() => {
    report(`… still building (${Math.round((performance.now() - start) / 1000)} s)`);
  }, 30_000);
  try {
    return await intoCache('built', tried, async (folder) => {
      await goInstall(folder);
      return join(folder, 'temporal');
    });
  } catch (error) {
    tried.push(`The build failed: ${firstLine(error)}`);
    return undefined;
  } finally {
    clearInterval(timer);
  }
}

async function goInstall(folder: string): Promise<void> {
  const go = spawn('go', ['install', '-ldflags', '-s -w', GO_MODULE], {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  go.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  await new Promise<void>((resolve, reject) => {
    go.once('error', (error) => {
      reject(errorCode(error) === 'ENOENT' ? new Error('Go is not installed.') : error);
    });
    go.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`go install ended with ${code}: ${said.trim().split('\n').at(-1) ?? ''}`));
    });
  });
}

/** Has a program made in a folder of its own, then moved into the cache whole: a crash leaves no half program there. */
async function intoCache(
  origin: 'downloaded' | 'built',
  tried: string[],
  make: (folder: string) => Promise<string | undefined>,
): Promise<TemporalBinary | undefined> {
  const cache = cacheFolder();
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, '.making-'));
  try {
    const made = await make(folder);
    if (made === undefined) return undefined;
    const path = join(cache, 'temporal');
    await rename(made, path);
    return await usable(path, origin, tried);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function cacheFolder(): string {
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(caches, 'cupid', `temporal-${CLI_VERSION}`);
}

function notFound(tried: readonly string[]): never {
  throw new TemporalNotFound(
    [
      'No Temporal server could be found, downloaded or built:',
      ...tried.map((line) => `- ${line}`),
      `Install the Temporal CLI (server ${OLDEST_SERVER} or newer) so that "temporal" is on PATH, or install Go 1.24 or newer and run this again, or choose a cluster with TEMPORAL_ADDRESS.`,
    ].join('\n'),
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
