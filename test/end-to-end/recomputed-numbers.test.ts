import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { getPart, needing } from '../parts/needing';
import { createTemporaryFolder } from '../temporary-folder';
import { runLoaded } from './loaded-command';
import { readResults, writeInstances } from './results';

const { test } = needing('readers');

const folder = createTemporaryFolder();
const DATA = join(folder, 'data.parquet');
const RESULTS = join(folder, 'results');
const SCRIPT = join(__dirname, '..', 'readers', 'recompute_results.py');

/** Some answers are malformed without end, so that scores are missing. */
const MODELS = ['simulated:default', 'simulated:careful', 'simulated:default?malformed=0.8'];

beforeAll(async () => {
  await writeInstances(DATA, 6);
  const eachModel = MODELS.flatMap((model) => ['--model', model]);
  for (const task of [['choice'], ['both', '--evaluator', 'simulated:default']]) {
    const { code, stderr } = await runLoaded([
      'eval',
      `--results-dir=${RESULTS}`,
      `--data=${DATA}`,
      '--task',
      ...task,
      ...eachModel,
      '--context',
      'full',
      'none',
    ]);
    expect({ code, stderr: code === 3 ? '' : stderr }).toEqual({ code: 3, stderr: '' });
  }
});

test('the numbers of results.json are those that pyarrow and the definitions of the paper give from the rows', async () => {
  const { stdout } = await promisify(execFile)(getPart('readers'), [
    SCRIPT,
    join(RESULTS, 'results.parquet'),
  ]);
  const computed = z.array(z.looseObject({ task: z.string() })).parse(JSON.parse(stdout));
  const { cells } = await readResults(RESULTS);
  expect(cells).toHaveLength(computed.length);
  expect(new Set(computed.map(({ task }) => task))).toEqual(new Set(['inference', 'generation', 'choice']));
  const numbers = new Map(cells.map((cell) => [formatKey(cell), listNumbers(cell)]));
  const missing = computed.flatMap((cell) => {
    const written = numbers.get(formatKey(cell));
    return [...listNumbers(cell)].filter(([path, value]) => !isEqual(written?.get(path), value));
  });
  expect(missing).toEqual([]);
  expect(computed.flatMap((cell) => [...listNumbers(cell)]).length).toBeGreaterThan(200);
  expect(cells.some(({ all }) => all.counts.missing > 0)).toBe(true);
});

const keySchema = z.object({
  task: z.string(),
  model: z.string(),
  context: z.string(),
  evaluator: z.string().nullable(),
  decomposer: z.string().nullable(),
});

function formatKey(cell: object): string {
  return JSON.stringify(Object.values(keySchema.parse(cell)));
}

/** Sums in another order differ in their last digits. */
function isEqual(written: number | undefined, computed: number): boolean {
  return written !== undefined && Math.abs(written - computed) <= 1e-12 * Math.max(1, Math.abs(computed));
}

/** Lists the numbers in a value, by their paths. */
function listNumbers(value: unknown, path = ''): Map<string, number> {
  if (typeof value === 'number') return new Map([[path, value]]);
  if (value === null || typeof value !== 'object') return new Map();
  return new Map(Object.entries(value).flatMap(([name, part]) => [...listNumbers(part, `${path}.${name}`)]));
}
