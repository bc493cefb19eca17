import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { getPart } from '../parts/needing';
import { listPresent } from '../../schemas/text/list-present';
import type { OLD_VERSIONS } from '../parts/readers';

const readingSchema = z.object({
  /** `name: type`, in the file's order; types as `string`, `int64`, `double`, `bool`, `list<…>`, `struct<name: type, …>`. */
  columns: z.array(z.string()),
  rows: z.array(z.unknown()),
  layout: z
    .object({ row_groups: z.array(z.number()), compression: z.array(z.string()), page_index: z.boolean() })
    .optional(),
  /** The value of the key `cupid` in the file's metadata, by pyarrow. */
  marks: z.object({ canary: z.string().optional(), simulated: z.boolean().optional() }).optional(),
  /** In the form in which `datasets` would write it into a card. */
  info: z.record(z.string(), z.unknown()).optional(),
});
export type Reading = z.infer<typeof readingSchema>;

export const MESSAGE_TYPE = 'struct<role: string, content: string>';

/** Columns of an instance. Written out, because consumers rely on them: a change of columns.ts must fail a test. */
export const PUBLISHED = [
  'persona_id: string',
  'instance_type: string',
  'current_request: string',
  'current_context_factor: string',
  'current_contextual_preference: string',
  'current_checklist: list<string>',
  `prior_interactions: list<struct<context_factor: string, contextual_preference: string, dialogue: list<${MESSAGE_TYPE}>>>`,
];

/** Reads a data set with each reader: pyarrow (with the layout of a Parquet file), polars, `datasets`, and for Parquet DuckDB. */
export async function readWithAllReaders(file: string): Promise<Record<string, Reading>> {
  return z.record(z.string(), readingSchema).parse(await runReaders(['file', file]));
}

/** Current version of `datasets`, in the part `readers`; the part `old-readers` has the others. */
const CURRENT_VERSION = '5.2';
export type DatasetsVersion = (typeof OLD_VERSIONS)[number] | typeof CURRENT_VERSION;

/** Reads the test split of a data set's folder as `datasets` loads it by its card, with its `dataset_info`. */
export async function readFolder(
  folder: string,
  version: DatasetsVersion = CURRENT_VERSION,
): Promise<Reading> {
  const [reading] = await readFolders([folder], version);
  if (reading === undefined) throw new Error('The readers told of no folder.');
  return reading;
}

/** Reads the same of several folders. */
export async function readFolders(
  folders: readonly string[],
  version: DatasetsVersion = CURRENT_VERSION,
): Promise<Reading[]> {
  return z.array(readingSchema).parse(await runReaders(['folder', ...folders], version));
}

/** Reads every split of a data set's folder as `datasets` loads it, in the configuration that it loads if none is named. */
export async function readSplits(
  folder: string,
  version: DatasetsVersion = CURRENT_VERSION,
  configuration?: string,
): Promise<Record<string, Reading>> {
  const request = listPresent(folder, configuration);
  return z.record(z.string(), readingSchema).parse(await runReaders(['splits', ...request], version));
}

/** Reads only the `dataset_info` of each folder, by current `datasets`. */
export async function readInfos(folders: readonly string[]): Promise<Record<string, unknown>[]> {
  return z.array(z.record(z.string(), z.unknown())).parse(await runReaders(['infos', ...folders]));
}

/** Reads the same of a data set on the Hub at this address, by its name. */
export async function readFromHub(
  name: string,
  address: string,
  version: DatasetsVersion = CURRENT_VERSION,
): Promise<Reading> {
  return readingSchema.parse(
    await runReaders(['hub', name], version, { HF_ENDPOINT: address, HF_HUB_OFFLINE: '0' }),
  );
}

async function runReaders(
  request: ['file' | 'folder' | 'splits' | 'infos' | 'hub', ...string[]],
  version: DatasetsVersion = CURRENT_VERSION,
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const key = JSON.stringify([version, variables]);
  const reader = readers.get(key) ?? startReader(version, variables);
  readers.set(key, reader);
  try {
    return await (await reader).ask(request);
  } catch (error) {
    // It has ended, and the next request needs another one.
    readers.delete(key);
    throw error;
  }
}

/** Reused, by version of `datasets` and further variables, because starting a reader takes longer than reading. */
const readers = new Map<string, ReturnType<typeof startReader>>();

afterAll(async () => {
  for (const reader of readers.values()) await (await reader).end();
});

function findPython(version: DatasetsVersion): string {
  return version === CURRENT_VERSION
    ? getPart('readers')
    : join(getPart('old-readers'), version, 'bin', 'python');
}

/** Starts a process that reads one data set after another. */
async function startReader(version: DatasetsVersion, variables: Readonly<Record<string, string>>) {
  const child = spawn(findPython(version), [join(__dirname, 'readers.py')], {
    env: { ...process.env, HF_HUB_OFFLINE: '1', ...variables, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // From the start, because a reader that fails ends before it is told to.
  const ended = once(child, 'close');
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
      child.stdin.end();
      await ended;
    },
  };
}
