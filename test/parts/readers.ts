import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MissingPart, type Report } from './part';

const run = promisify(execFile);

const REQUIREMENTS = join(__dirname, '..', 'readers');

/** Older versions of `datasets` in use. */
export const OLD_VERSIONS = ['2.19', '3.6'] as const;

/** Finds Python 3.11 or newer. */
export async function installPython(): Promise<string> {
  await readPythonVersion();
  return 'python3';
}

/** Installs an environment with pyarrow, polars, DuckDB and the current `datasets`. Returns its Python. */
export async function installReaders(report: Report): Promise<string> {
  const requirements = join(REQUIREMENTS, 'requirements.txt');
  const folder = await nameFolder('readers', [requirements]);
  if (!existsSync(folder)) {
    report(describeWork('pyarrow, polars, DuckDB and datasets', folder, 'one minute', '650 MB'));
    await createInPlace(folder, (making) => createEnvironment(making, requirements));
  }
  return join(folder, 'bin', 'python');
}

/** Installs environments with older versions of `datasets`. Returns their directory, with one named by each version. */
export async function installOldReaders(report: Report): Promise<string> {
  const requirements = OLD_VERSIONS.map((version) => join(REQUIREMENTS, `requirements-${version}.txt`));
  const folder = await nameFolder('old-readers', requirements);
  if (!existsSync(folder)) {
    report(describeWork(`datasets ${OLD_VERSIONS.join(' and ')}`, folder, 'two minutes', '820 MB'));
    await createInPlace(folder, async (making) => {
      for (const [index, version] of OLD_VERSIONS.entries()) {
        await createEnvironment(join(making, version), requirements[index] ?? '');
      }
    });
  }
  return folder;
}

function describeWork(what: string, folder: string, duration: string, size: string): string {
  return `Installing ${what} from PyPI into ${folder} (${size}). This happens once; it takes about ${duration}.`;
}

/** Names a directory of the cache by the requirements and the version of Python. */
async function nameFolder(name: string, requirements: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(await readPythonVersion());
  for (const file of requirements) hash.update(await readFile(file));
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'cupid-test', `${name}-${hash.digest('hex').slice(0, 16)}`);
}

/** Makes a directory, and moves it to its place once it is complete; another process may have been the first. */
async function createInPlace(folder: string, create: (making: string) => Promise<void>): Promise<void> {
  const cache = join(folder, '..');
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, '.making-'));
  try {
    await create(making);
    await rename(making, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function createEnvironment(folder: string, requirements: string): Promise<void> {
  await run('python3', ['-m', 'venv', folder]).catch((error: unknown) => {
    throw new MissingPart(
      `The readers of data sets are missing: Python's venv module does not work (${getLastLine(error)}).`,
      'apt-get install python3-venv   # as root, on Debian and Ubuntu',
      { cause: error },
    );
  });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  await run(join(folder, 'bin', 'python'), pip).catch((error: unknown) => {
    throw new MissingPart(
      `The readers of data sets are missing: they could not be installed from PyPI (${getLastLine(error)}).`,
      'npm test   # again, with access to https://pypi.org, or PIP_INDEX_URL set to a mirror of it',
      { cause: error },
    );
  });
}

async function readPythonVersion(): Promise<string> {
  const program = 'import sys; print(sys.version_info >= (3, 11), sys.version)';
  const remedy = 'apt-get install python3 python3-venv   # as root, on Debian 12 and Ubuntu 24.04 or newer';
  const { stdout } = await run('python3', ['-c', program]).catch((error: unknown) => {
    throw new MissingPart('Python 3.11 or newer is missing: there is no python3 on PATH.', remedy, {
      cause: error,
    });
  });
  if (stdout.startsWith('True')) return stdout;
  const version = stdout.split(' ')[1] ?? '';
  throw new MissingPart(`Python 3.11 or newer is missing: python3 is ${version}.`, remedy);
}

function getLastLine(error: unknown): string {
  const { stderr = '', stdout = '', message = '' } = Object(error);
  const output = `${stdout}\n${stderr}`.trim() || String(message);
  return output.trim().split('\n').at(-1) ?? '';
}
