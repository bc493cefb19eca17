import { execFile, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '../../data/store/system-error';
import { buildChildEnvironment, GO_VARIABLES } from './child-environment';
import { compareVersions } from './versions';

/** Minimum version of Go for the module. Go 1.21 or later downloads a newer one by itself, unless it is configured not to. */
export const OLDEST_GO = '1.25.0';
const FIRST_WITH_TOOLCHAINS = '1.21.0';

const MODULE = 'github.com/temporalio/cli';

export function formatGoPackage(version: string): string {
  return `${MODULE}/cmd/temporal@v${version}`;
}

/**
 * Builds a release of the Temporal CLI from its Go module into a folder. An abort ends Go and all its compilers.
 * @returns the program's path
 */
export async function buildTemporal(version: string, folder: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const install = spawn('go', ['install', '-ldflags', buildLinkerFlags(version), formatGoPackage(version)], {
    // As in the downloaded one. No C compiler and no glibc are needed then, and a user without a name can run it.
    env: { ...buildChildEnvironment(GO_VARIABLES), GOBIN: folder, CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group of its own, which can be killed as a whole.
    detached: true,
  });
  const end = () => {
    if (install.pid === undefined) return;
    try {
      process.kill(-install.pid, 'SIGTERM');
    } catch (error) {
      if (getErrorCode(error) !== 'ESRCH') throw error;
    }
  };
  signal.addEventListener('abort', end, { once: true });
  let output = '';
  install.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)));
  try {
    await new Promise<void>((resolve, reject) => {
      install.once('error', (error) => reject(getErrorCode(error) === 'ENOENT' ? new Error(NO_GO) : error));
      install.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`go install failed: ${getLastLine(output)}`));
      });
    });
  } finally {
    signal.removeEventListener('abort', end);
  }
  return join(folder, 'temporal');
}

/**
 * Leaves out symbols, and sets the checksum that the server's own workers report. Without it, every start of the server computes the MD5
 * of the whole program, which takes half of its processor time.
 */
function buildLinkerFlags(version: string): string {
  return `-s -w -X go.temporal.io/sdk/internal.binaryChecksum=temporal-cli-${version}`;
}

/** Checks that a release can be built here, without building it. @throws Error that says why not */
export async function checkBuild(version: string): Promise<void> {
  const [goVersion = '', toolchain = ''] = (await runGo('env', 'GOVERSION', 'GOTOOLCHAIN')).split('\n');
  const installed = /\d+(?:\.\d+)*/.exec(goVersion)?.[0] ?? '0';
  const isEnough =
    compareVersions(installed, OLDEST_GO) >= 0 ||
    (compareVersions(installed, FIRST_WITH_TOOLCHAINS) >= 0 && toolchain.includes('auto'));
  if (!isEnough) throw new Error(`Go ${installed} is too old; ${OLDEST_GO} or newer is needed`);
  // The list of versions never comes from Go's cache, so this reaches the module proxy.
  await runGo('list', '-m', '-versions', `${MODULE}@v${version}`);
}

async function runGo(...args: readonly string[]): Promise<string> {
  const options = { env: buildChildEnvironment(GO_VARIABLES), cwd: tmpdir(), timeout: 20_000 };
  try {
    return (await promisify(execFile)('go', args, options)).stdout;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') throw new Error(NO_GO, { cause: error });
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new Error(`go ${args[0] ?? ''} failed: ${getLastLine(output)}`, { cause: error });
  }
}

const NO_GO = 'Go is not installed';

function getLastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}
