import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { readFrontMatter } from '../../../data/card/front-matter';
import { CHOICE_COLUMNS, INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { readParsedRows } from '../../../data/readers/parquet-table';
import { writeParquet } from '../../../data/tables/parquet';
import { exportData } from '../../../publishing/export';
import { validateData } from '../../../publishing/validate';
import { choiceQuestionSchema } from '../../../schemas/dataset/benchmark';
import { HubStandIn } from '../../stand-in/hub-server';
import { createTemporaryFolder } from '../../temporary-folder';
import { AROUND } from './edge-data';
import { publishWith, REPO, runFolder } from './publishable';
import { buildSoundInstances, buildSoundRecords } from './sound-data';

const TOKEN = 'hf_ofTheseTests';

const folder = createTemporaryFolder();
let run: string;
let hub: HubStandIn;
let reports: string[] = [];

beforeAll(async () => {
  run = await runFolder(join(folder, 'run'), { personas: 2 });
  hub = await HubStandIn.start();
  hub.users.set(TOKEN, { name: 'kim', role: 'write' });
});
beforeEach(async () => {
  await publish(true);
  reports = [];
});
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
  const rows = await readChoices(copy);
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

describe('exported to a folder', () => {
  test('a benchmark has the files that are published, and names the version of Inspect', async () => {
    const { read, parts, folder: out } = await exportTo('benchmark', 'benchmark', { repo: REPO });
    const published = hub.files(REPO);
    for (const path of ['choice/test.parquet', 'generation/test.parquet', 'eval.yaml']) {
      expect(read(path).equals(published.get(path) ?? Buffer.of())).toBe(true);
      expect(parts.find((part) => part.path === path)?.bytes).toBe(read(path).length);
    }
    for (const path of ['README.md', 'eval.yaml']) {
      expect(read(path).toString().replaceAll(/\s+/g, ' ')).toContain('Inspect 0.3.264 or newer');
    }
    const { configs } = cardSchema.parse(readFrontMatter(read('README.md').toString()));
    expect(configs.map(({ data_files: [{ path }] }) => path)).toEqual([
      'data/test-*',
      'choice/test.parquet',
      'generation/test.parquet',
    ]);
    expect(await listFindings(out)).toEqual([]);
    expect(await publish(true, out)).toMatchObject({ unchanged: false });
  });

  test('tasks of lm-evaluation-harness have the same choices, and name functions that exist', async () => {
    const { read, parts, instances } = await exportTo('harness', 'lm-eval');
    expect(instances).toBe(6);
    expect(
      read('choice/test.parquet').equals(hub.files(REPO).get('choice/test.parquet') ?? Buffer.of()),
    ).toBe(true);
    const functions = read('cupid_tasks.py').toString();
    const tasks = parts.map(({ path }) => path).filter((path) => path.endsWith('.yaml'));
    expect(tasks).toEqual(['cupid_choice_likelihood.yaml', 'cupid_choice_generate.yaml']);
    for (const path of tasks) {
      const yaml = read(path).toString();
      const names = [...yaml.matchAll(/!function cupid_tasks\.(\w+)/g)].map(([, name]) => name);
      expect(names).toEqual(['load', 'pair', expect.stringMatching(/^score_/)]);
      for (const name of names) expect(functions).toContain(`\ndef ${name}(`);
      const task = taskSchema.parse(parse(yaml, { customTags: [FUNCTION] }));
      expect(`${task.task}.yaml`).toBe(path);
      expect(task.metric_list.map(({ metric }) => metric)).toEqual([
        'acc',
        'acc_consistent',
        'acc_contrastive',
        'acc_changing',
        'acc_paired',
      ]);
      expect(task.doc_to_text).toMatch(
        /^\{\{input\}\}\n\n.*\n\n\{% raw %\}Answer in exactly this form,[^{]*\{% endraw %\}$/,
      );
    }
    const card = read('README.md').toString();
    expect(card).toContain('runs its functions');
    expect(card).toContain('canary GUID');
  });

  test('a selection of personas has only their questions', async () => {
    const file = join(folder, 'ids.txt');
    const [first] = await readChoices(copyFromHub('ids'));
    writeFileSync(file, `${first?.persona_id}\n`);
    const out = join(folder, 'selected');
    const request = { format: 'lm-eval', outputDir: out, wherePersona: file } as const;
    expect(await exportData(run, request, AROUND)).toMatchObject({ instances: 3 });
    expect((await readChoices(out)).map(({ persona_id: persona }) => persona)).toEqual(
      Array(3).fill(first?.persona_id),
    );
  });

  test.each(['benchmark', 'lm-eval'] as const)('records are refused: %s', async (format) => {
    const records = join(folder, `${format}-records.parquet`);
    await writeParquet(records, RECORD_COLUMNS, buildSoundRecords(1));
    await expect(
      exportData(records, { format, outputDir: join(folder, `${format}-of-records`) }, AROUND),
    ).rejects.toThrow(`--format ${format} needs instances`);
  });

  test('data without a choice has no task', async () => {
    const one = join(folder, 'one.parquet');
    const rows = buildSoundInstances(1)
      .slice(0, 1)
      .map((row) => ({
        ...row,
        prior_interactions: row.prior_interactions.filter(
          ({ context_factor: factor }) => factor === row.current_context_factor,
        ),
      }));
    await writeParquet(one, INSTANCE_COLUMNS, rows);
    await expect(
      exportData(one, { format: 'lm-eval', outputDir: join(folder, 'none') }, AROUND),
    ).rejects.toThrow('has no questions');
  });
});

async function exportTo(name: string, format: 'benchmark' | 'lm-eval', options = {}) {
  const outputDir = join(folder, name);
  const report = await exportData(run, { format, outputDir, ...options }, AROUND);
  return { ...report, read: (path: string) => readFileSync(join(outputDir, path)) };
}

/** The harness's reference to a Python function. */
const FUNCTION = { tag: '!function', resolve: (name: string) => name };

const taskSchema = z.object({
  task: z.string(),
  doc_to_text: z.string(),
  metric_list: z.array(z.object({ metric: z.string() })),
});

async function publish(benchmark: boolean, data = run) {
  const environment = { HF_ENDPOINT: hub.url, HF_TOKEN: TOKEN, HF_HOME: join(folder, 'hub') };
  return publishWith({ data, benchmark }, { environment, report: (line) => reports.push(line) });
}

async function readChoices(data: string) {
  const rows = [];
  const file = join(data, 'choice', 'test.parquet');
  for await (const { row } of readParsedRows(file, choiceQuestionSchema, '')) rows.push(row);
  return rows;
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
