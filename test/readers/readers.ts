import { execFile, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';

const readingSchema = z.object({
  /** `name: type`, in the file's order; types as `string`, `int64`, `double`, `bool`, `list<…>`, `struct<name: type, …>`. */
  columns: z.array(z.string()),
  rows: z.array(z.unknown()),
  layout: z
    .object({ row_groups: z.array(z.number()), compression: z.array(z.string()), page_index: z.boolean() })
    .optional(),
  /** As `datasets` would write it into a card. */
  info: z.record(z.string(), z.unknown()).optional(),
});
export type Reading = z.infer<typeof readingSchema>;

export const MESSAGE_TYPE = 'struct<role: string, content: string>';

/** The columns of an instance. Written out: these are what others rely on, and columns.ts must not change them by itself. */
export const PUBLISHED = [
  'persona_id: string',
  'instance_type: string',
  'current_request: string',
  'current_context_factor: string',
  'current_contextual_preference: string',
  'current_checklist: list<string>',
  `prior_interactions: list<struct<context_factor: string, contextual_preference: string, dialogue: list<${MESSAGE_TYPE}>>>`,
];

/**
 * What each reader sees in a data set: pyarrow (with the layout of a Parquet file), polars, `datasets`, and for
 * Parquet DuckDB.
 * The first call on a machine makes a Python environment in the user's cache, which takes a minute and the network.
 */
export async function readWithAllReaders(file: string): Promise<Record<string, Reading>> {
  return z.record(z.string(), readingSchema).parse(await runReaders(['file', file]));
}

/** Versions of `datasets` that people use, the current one last. */
export const DATASETS_VERSIONS = ['2.19', '3.6', '5.2'] as const;
export type DatasetsVersion = (typeof DATASETS_VERSIONS)[number];

/** The test split of a data set's folder, as `datasets` loads it by its card, and the `dataset_info` that it makes of it. */
export async function readFolder(folder: string, version: DatasetsVersion = '5.2'): Promise<Reading> {
  const [reading] = await readFolders([folder], version);
  if (reading === undefined) throw new Error('The readers told of no folder.');
  return reading;
}

/** The same of several folders. */
export async function readFolders(
  folders: readonly string[],
  version: DatasetsVersion = '5.2',
): Promise<Reading[]> {
  return z.array(readingSchema).parse(await runReaders(['folder', ...folders], version));
}

/** The `dataset_info` alone, of each of these folders, as current `datasets` makes it. */
export async function readInfos(folders: readonly string[]): Promise<Record<string, unknown>[]> {
  return z.array(z.record(z.string(), z.unknown())).parse(await runReaders(['infos', ...folders]));
}

/** The same of a data set of the Hub at this address, by its name. */
export async function readFromHub(
  name: string,
  address: string,
  version: DatasetsVersion = '5.2',
): Promise<Reading> {
  return readingSchema.parse(
    await runReaders(['hub', name], version, { HF_ENDPOINT: address, HF_HUB_OFFLINE: '0' }),
  );
}

/** For the first use of the readers in a test file: time to make the environment, in milliseconds. */
export const READERS_TIMEOUT = 600_000;

async function runReaders(
  request: ['file' | 'folder' | 'infos' | 'hub', ...string[]],
  version: DatasetsVersion = '5.2',
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const key = JSON.stringify([version, variables]);
  const reader = readers.get(key) ?? startReader(version, variables);
  readers.set(key, reader);
  return (await reader).ask(request);
}

/** By version of `datasets` and further variables: to start a reader takes longer than to read. */
const readers = new Map<string, ReturnType<typeof startReader>>();

afterAll(async () => {
  for (const reader of readers.values()) await (await reader).end();
});

/** Starts a process that reads one data set after another. */
async function startReader(version: DatasetsVersion, variables: Readonly<Record<string, string>>) {
  const child = spawn(await installReaders(version), [join(__dirname, 'readers.py')], {
    env: { ...process.env, HF_HUB_OFFLINE: '1', ...variables, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const carryOut = async (request: readonly string[]): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await answers.next();
    if (done === true) throw new Error(`The reader ended at ${request.join(' ')}:\n${stderr}`);
    return JSON.parse(value);
  };
  return {
    ask(request: readonly string[]) {
      const turn = last.then(() => carryOut(request));
      last = turn.catch(() => undefined);
      return turn;
    },
    async end() {
      const ended = once(child, 'close');
      child.stdin.end();
      await ended;
    },
  };
}

const run = promisify(execFile);

/**
 * The Python of the readers' environment, which is made when it is not there. That of the current `datasets` has all readers;
 * those of older ones have pyarrow besides.
 */
export async function installReaders(version: DatasetsVersion = '5.2'): Promise<string> {
  const requirements = join(
    __dirname,
    version === '5.2' ? 'requirements.txt' : `requirements-${version}.txt`,
  );
  const hash = createHash('sha256')
    .update(await pythonVersion())
    .update(await readFile(requirements));
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'cupid');
  const environment = join(cache, `readers-${hash.digest('hex').slice(0, 16)}`);
  const python = join(environment, 'bin', 'python');
  if (await exists(python)) return python;

  await mkdir(cache, { recursive: true });
  const building = `${environment}.${randomUUID()}`;
  try {
    await run('python3', ['-m', 'venv', building]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
    await run(join(building, 'bin', 'python'), pip);
    await rename(building, environment);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    // Another test may have been the first to make it.
    if (await exists(python)) return python;
    throw new Error(
      `The Python environment for reading data sets back could not be made in ${cache}. It needs Python's venv module ` +
        '(on Debian and Ubuntu the package python3-venv) and the package index PyPI; the cause is below.',
      { cause: error },
    );
  }
  return python;
}

async function pythonVersion(): Promise<string> {
  const needed = 'These tests read data sets back with pyarrow, polars, DuckDB and datasets';
  const program = 'import sys; print(sys.version_info >= (3, 11), sys.version)';
  const { stdout } = await run('python3', ['-c', program]).catch((error: unknown) => {
    throw new Error(`${needed}, and there is no python3 here. Install Python 3.11 or newer.`, {
      cause: error,
    });
  });
  if (!stdout.startsWith('True')) {
    throw new Error(`${needed}. Install Python 3.11 or newer; python3 is ${stdout.trim()}.`);
  }
  return stdout;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
