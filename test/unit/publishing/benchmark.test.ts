import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { readFrontMatter } from '../../../data/card/front-matter';
import { CHOICE_COLUMNS } from '../../../data/tables/columns';
import { readParsedRows } from '../../../data/readers/parquet-table';
import { writeParquet } from '../../../data/tables/parquet';
import { exportData } from '../../../publishing/export';
import { validateData } from '../../../publishing/validate';
import { choiceQuestionSchema } from '../../../schemas/dataset/benchmark';
import { HubStandIn } from '../../stand-in/hub-server';
import { createTemporaryFolder } from '../../temporary-folder';
import { AROUND } from './edge-data';
import { publishWith, REPO, runFolder } from './publishable';

const TOKEN = 'hf_ofTheseTests';

const folder = createTemporaryFolder();
let run: string;
let hub: HubStandIn;
let reports: string[] = [];

beforeAll(async () => {
  run = await runFolder(join(folder, 'run'), { personas: 2 });
  hub = await HubStandIn.start();
  hub.users.set(TOKEN, { name: 'kim', role: 'write' });
  await publish(true);
});
beforeEach(() => (reports = []));
afterAll(() => hub.stop());

const cardSchema = z.object({
  configs: z.array(
    z.object({
      config_name: z.string(),
      data_files: z.tuple([z.object({ split: z.literal('test'), path: z.string() })]),
    }),
  ),
  dataset_info: z.array(
    z.object({
      config_name: z.string(),
      splits: z.tuple([z.object({ num_examples: z.literal(6) })]),
      features: z.array(z.object({ name: z.string() })),
    }),
  ),
});

test('the card lists each configuration with its file and columns, and publishing again changes nothing', async () => {
  const { configs, dataset_info: infos } = cardSchema.parse(readFrontMatter(readCardOnHub()));
  expect(configs.map(({ config_name: name, data_files: [{ path }] }) => [name, path])).toEqual([
    ['default', 'test.parquet'],
    ['choice', 'choice/test.parquet'],
    ['generation', 'generation/test.parquet'],
  ]);
  expect(infos.map(({ config_name: name, features }) => [name, features.length])).toEqual([
    ['default', 7],
    ['choice', 5],
    ['generation', 4],
  ]);
  expect(readCardOnHub()).toContain(`\`inspect eval hf/${REPO}/choice --model MODEL\``);
  expect(await publish(true)).toMatchObject({ unchanged: true });
  expect(reports.join('\n')).not.toContain('--benchmark');
});

test('the published folder is valid, and its questions are compared with the instances', async () => {
  const copy = copyFromHub('copy');
  expect(await listFindings(copy)).toEqual([]);
  const file = join(copy, 'choice', 'test.parquet');
  const rows = [];
  for await (const { row } of readParsedRows(file, choiceQuestionSchema, '')) rows.push(row);
  const changed = rows.slice(1).map((row, at) => (at === 2 ? { ...row, answer: 1 - row.answer } : row));
  await writeParquet(file, CHOICE_COLUMNS, changed);
  const [first, , , wrong] = rows;
  expect(await listFindings(copy)).toEqual([
    expect.objectContaining({ persona_id: wrong?.persona_id, instance_type: wrong?.instance_type, row: 3 }),
    expect.objectContaining({ persona_id: first?.persona_id, instance_type: first?.instance_type }),
  ]);
});

test('an export of the published data has no benchmark, and neither does its card', async () => {
  const out = join(folder, 'exported');
  await exportData(copyFromHub('source'), { format: 'parquet', outputDir: out }, AROUND);
  const card = readFileSync(join(out, 'README.md'), 'utf8');
  expect(card).not.toContain('## Benchmark');
  expect(card).not.toContain('choice/test.parquet');
});

test('a clone is published with its benchmark; without the option, a benchmark on the Hub is named', async () => {
  const clone = copyFromHub('clone');
  expect(await publish(false, clone)).toMatchObject({ unchanged: true });
  await publish(false);
  expect(reports).toContainEqual(expect.stringContaining('Add --benchmark to publish it again.'));
  expect(readCardOnHub()).not.toContain('## Benchmark');
});

async function publish(benchmark: boolean, data = run) {
  const environment = { HF_ENDPOINT: hub.url, HF_TOKEN: TOKEN, HF_HOME: join(folder, 'hub') };
  return publishWith({ data, benchmark }, { environment, report: (line) => reports.push(line) });
}

function readCardOnHub(): string {
  return hub.files(REPO).get('README.md')?.toString('utf8') ?? '';
}

function copyFromHub(name: string): string {
  const copy = join(folder, name);
  for (const [path, contents] of hub.files(REPO)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), contents);
  }
  return copy;
}

async function listFindings(data: string) {
  const { dataSets } = await validateData(data, { environment: {}, report: () => undefined });
  return dataSets.flatMap(({ findings }) => findings).filter(({ rule }) => rule === 'benchmark-of-data');
}
