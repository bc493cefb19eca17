import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createInPlace, getTestCache } from './cache';
import { MissingPart, type Report } from './part';

const run = promisify(execFile);

const REQUIREMENTS = join(__dirname, '..', 'readers');

/** Older versions of `datasets` in use. */
export const OLD_VERSIONS = ['2.19', '3.6'] as const;

/** Finds Python 3.11 or newer. */
export async function installPython(): Promise<string> {
  await requirePython([3, 11]);
  return 'python3';
}

/** Installs an environment with pyarrow, polars, DuckDB and the current `datasets`. Returns its Python. */
export async function installReaders(report: Report): Promise<string> {
  const environments = { '.': 'requirements.txt' };
  const what = 'pyarrow, polars, DuckDB and datasets';
  const folder = await install('readers', environments, [3, 11], [what, 'one minute', '650 MB'], report);
  return join(folder, 'bin', 'python');
}

/** Installs an environment with the validators of the formats that others read; one of them needs Python 3.12. Returns its Python. */
export async function installValidators(report: Report): Promise<string> {
  const environments = { '.': 'requirements-validators.txt' };
  const what = 'Inspect, lm-evaluation-harness, every-eval-ever, mlcroissant and TRL without PyTorch';
  const folder = await install(
    'validators',
    environments,
    [3, 12],
    [what, 'three minutes', '970 MB'],
    report,
  );
  return join(folder, 'bin', 'python');
}

/** Installs environments with older versions of `datasets`. Returns their directory, with one named by each version. */
export async function installOldReaders(report: Report): Promise<string> {
  const environments = Object.fromEntries(
    OLD_VERSIONS.map((version) => [version, `requirements-${version}.txt`]),
  );
  const what = `datasets ${OLD_VERSIONS.join(' and ')}`;
  return install('old-readers', environments, [3, 11], [what, 'two minutes', '820 MB'], report);
}

/** Installs Python environments into a directory of the cache, each with the packages of its file. Returns the directory. */
async function install(
  name: string,
  environments: Readonly<Record<string, string>>,
  release: Release,
  [what, duration, size]: readonly [what: string, duration: string, size: string],
  report: Report,
): Promise<string> {
  const python = await requirePython(release);
  const files = Object.values(environments).map((file) => join(REQUIREMENTS, file));
  const folder = await nameFolder(name, python, files);
  if (existsSync(folder)) return folder;
  report(
    `Installing ${what} from PyPI into ${folder} (${size}). This happens once; it takes about ${duration}.`,
  );
  await createInPlace(folder, async (making) => {
    for (const [place, file] of Object.entries(environments))
      await createEnvironment(join(making, place), python, join(REQUIREMENTS, file));
  });
  return folder;
}

/** Names a directory of the cache by the requirements and the version of Python. */
async function nameFolder(
  name: string,
  { version }: Python,
  requirements: readonly string[],
): Promise<string> {
  const hash = createHash('sha256').update(version);
  for (const file of requirements) hash.update(await readFile(file));
  return join(getTestCache(), `${name}-${hash.digest('hex').slice(0, 16)}`);
}

async function createEnvironment(folder: string, { program }: Python, requirements: string): Promise<void> {
  await run(program, ['-m', 'venv', folder]).catch((error: unknown) => {
    throw new MissingPart(
      `Python packages are missing: Python's venv module does not work (${getLastLine(error)}).`,
      'apt-get install python3-venv   # as root, on Debian and Ubuntu',
      { cause: error },
    );
  });
  // The files list everything that is needed, and of some packages less than everything.
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '-r',
    requirements,
  ];
  await run(join(folder, 'bin', 'python'), pip).catch((error: unknown) => {
    throw new MissingPart(
      `Python packages are missing: they could not be installed from PyPI (${getLastLine(error)}).`,
      'npm test   # again, with access to https://pypi.org, or PIP_INDEX_URL set to a mirror of it',
      { cause: error },
    );
  });
}

interface Python {
  readonly program: string;
  /** As `sys.version`. */
  readonly version: string;
}

type Release = readonly [major: number, minor: number];

/** Finds a Python of at least this release: on PATH, or one that pyenv has installed beside it. */
async function requirePython([major, minor]: Release): Promise<Python> {
  const found: string[] = [];
  for (const program of await listPythons()) {
    const version = await readVersion(program);
    if (version === undefined) continue;
    const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number.parseFloat);
    if (ownMajor === major && ownMinor >= minor) return { program, version };
    found.push(`${program} is ${version.split(' ')[0]}`);
  }
  throw new MissingPart(
    `Python ${major}.${minor} or newer is missing: ${found.join(', ') || 'there is no python3 on PATH'}.`,
    `apt-get install python3 python3-venv   # as root, on Debian ${minor > 11 ? 13 : 12} and Ubuntu 24.04 or newer`,
  );
}

async function listPythons(): Promise<string[]> {
  const versions = join(process.env['PYENV_ROOT'] || join(homedir(), '.pyenv'), 'versions');
  const names: string[] = await readdir(versions).catch(() => []);
  return [
    'python3',
    ...['3.12', '3.13', '3.14'].map((release) => `python${release}`),
    ...names.toSorted().map((name) => join(versions, name, 'bin', 'python3')),
  ];
}

async function readVersion(program: string): Promise<string | undefined> {
  const print = ['-c', 'import sys; print(sys.version)'];
  return run(program, print).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}

function getLastLine(error: unknown): string {
  const { stderr = '', stdout = '', message = '' } = Object(error);
  const output = `${stdout}\n${stderr}`.trim() || String(message);
  return output.trim().split('\n').at(-1) ?? '';
}
