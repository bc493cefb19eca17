import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { exportData } from '../../../publishing/export';
import { groupBy } from '../../../rules/group-by';
import { INSTANCE_TYPES } from '../../../schemas/dataset/instance-type';
import { getPart, needing } from '../../parts/needing';
import { HubStandIn } from '../../stand-in/hub-server';
import { createTemporaryFolder } from '../../temporary-folder';
import {
  AROUND,
  buildEdgeInstances,
  buildEdgeRecords,
  convertToTable,
  writeRun,
} from '../../unit/publishing/edge-data';
import { runLoaded } from '../loaded-command';
import { readResultRows, readResults, writeInstances } from '../results';

const { describe, test } = needing('validators');
const run = promisify(execFile);

const PERSONAS = 4;
const TOKEN = 'hf_ofTheseTests';
const MODELS = ['simulated:default?reads=all', 'simulated:default?reads=none'];

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const RESULTS = inFolder('results');

beforeAll(async () => {
  const data = inFolder('data.parquet');
  await writeInstances(data, PERSONAS);
  expect(await runLoaded(['export', data, '--output-dir', inFolder('set')])).toMatchObject({ code: 0 });
  const evaluation = ['eval', '--results-dir', RESULTS, '--data', data, '--model', ...MODELS];
  for (const task of [
    ['both', '--evaluator', 'simulated:default'],
    ['choice', '--context', 'full', 'none'],
  ]) {
    expect(await runLoaded([...evaluation, '--task', ...task])).toMatchObject({ code: 0 });
  }
});

describe('a data set published as a benchmark', () => {
  const REPO = 'kim/cupid';
  let hub: HubStandIn;
  let variables: Record<string, string>;

  beforeAll(async () => {
    hub = await HubStandIn.start();
    hub.users.set(TOKEN, { name: 'kim', role: 'write' });
    variables = { HF_ENDPOINT: hub.url, HF_TOKEN: TOKEN, HF_HUB_OFFLINE: '0' };
    const publish = ['publish', inFolder('set'), '--repo', REPO, '--benchmark', '--allow-simulated'];
    const preview = await runLoaded([...publish, '--dry-run'], variables);
    for (const path of ['choice/test.parquet', 'eval.yaml', 'generation/test.parquet'])
      expect(preview.stdout).toMatch(new RegExp(`  new  +${path} `));
    expect(await runLoaded(publish, variables)).toMatchObject({ code: 0 });
    const again = await runLoaded(publish, variables);
    expect(again.stdout).toContain('Nothing to do.');
  });
  afterAll(() => hub.stop());

  test('Inspect runs both tasks, also from a folder, and its accuracy for the same letter is ours', async () => {
    const model = inFolder('letter.mjs');
    await writeFile(model, "export default () => '### Choice\\n\\nB';\n");
    const evaluation = ['eval', '--results-dir', inFolder('letter'), '--model', `module:${model}`];
    const ours = await runLoaded([...evaluation, '--task', 'choice', '--data', REPO], variables);
    expect(ours).toMatchObject({ code: 0 });
    const accuracy = (await readResults(inFolder('letter'))).cells[0]?.all.choice?.accuracy;
    const answers = ['ANSWER: B', 'ANSWER: **B**', 'ANSWER: (B)', 'ANSWER: $B$'];
    const runInspect = async (place: string) =>
      runReader('run_inspect.py', [place, 'GRADE: C', ...answers], variables);
    const tasks = tasksSchema.parse(await runInspect(`hf/${REPO}`));
    const format = ['--format', 'benchmark', '--output-dir', inFolder('benchmark')];
    expect(await runLoaded(['export', inFolder('set'), ...format])).toMatchObject({ code: 0 });
    expect(await runInspect(inFolder('benchmark'))).toEqual({ choice: tasks.choice });
    expect(tasks.choice.samples).toHaveLength(3 * PERSONAS);
    expect(tasks.choice.accuracy).toBeCloseTo(accuracy ?? NaN, 10);
    expect(tasks.generation.samples).toHaveLength(3 * PERSONAS);
    expect(tasks.generation.accuracy).toBe(1);
    const rows = [...(await readResultRows(inFolder('letter'))).values()];
    for (const [
      index,
      {
        current_request: request,
        options,
        true_option: right,
        true_preference: preference,
        true_checklist: checklist,
      },
    ] of rows.entries()) {
      const [choice, generation] = [tasks.choice.samples[index], tasks.generation.samples[index]];
      expect(choice).toMatchObject({ choices: options, target: right });
      for (const sample of [choice, generation]) expect(sample?.input).toContain(request);
      for (const text of [preference, ...checklist]) expect(generation?.target).toContain(text);
    }
  });
});

/** Runs a script of test/readers/. Returns what it prints last, which is JSON. */
async function runReader(
  script: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const path = join(__dirname, '..', '..', 'readers', script);
  const { stdout } = await run(getPart('validators'), [path, ...args], {
    env: { ...process.env, ...variables, PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

describe('a data set as tasks of lm-evaluation-harness', () => {
  const HARNESS = inFolder('harness');

  beforeAll(async () => {
    const exporting = ['export', inFolder('set'), '--format', 'lm-eval', '--output-dir', HARNESS];
    expect(await runLoaded(exporting)).toMatchObject({ code: 0 });
  });

  test('the question is that of eval, and so are the accuracies of the same letters', async () => {
    const tasks = harnessSchema.parse(
      await runReader('run_lm_eval.py', [HARNESS], { HF_HOME: inFolder('hub') }),
    );
    const { cupid_choice_likelihood: likelihood, cupid_choice_generate: generate } = tasks;
    expect(generate).toEqual(likelihood);
    expect(new Set(likelihood.answers.map(({ letter }) => letter)).size).toBeGreaterThan(1);
    const letters = likelihood.answers.map(({ prompt, letter }) => [prompt, letter]);
    await writeFile(inFolder('letters.json'), JSON.stringify(Object.fromEntries(letters)));
    const model = inFolder('letters.mjs');
    await writeFile(model, ANSWERING_BY_PROMPT);
    const evaluation = ['eval', '--results-dir', inFolder('letters'), '--model', `module:${model}`];
    const ours = await runLoaded([...evaluation, '--task', 'choice', '--data', inFolder('set')]);
    expect(ours).toMatchObject({ code: 0 });
    const [cell] = (await readResults(inFolder('letters'))).cells;
    const { acc, acc_paired: paired, ...byType } = likelihood.metrics;
    expect(acc).toBeCloseTo(cell?.all.choice?.accuracy ?? NaN, 10);
    expect(paired).toBeCloseTo(cell?.all.choice?.paired_accuracy ?? NaN, 10);
    for (const type of INSTANCE_TYPES) {
      expect(byType[`acc_${type}`]).toBeCloseTo(cell?.by_type[type]?.choice?.accuracy ?? NaN, 10);
    }
  });

  test.each([
    ['### Choice\n\nB', 1],
    ['The user asked for less. A is stale.\n\n### Choice\n\n**B**', 1],
    ['(B)', 1],
    ['Answer: b.', 1],
    ['My final answer is: B', 1],
    ['$\\boxed{B}$', 1],
    ['B. Be brief.', 1],
    ['### Choice\n\nB\n\nBe brief.', 1],
    ['A. Be long.', 0],
    ['', null],
    ['E', null],
    ['Be brief.', 1],
    ['B. Be brief', 1],
    ['C. Be long, then be kind.', 2],
    ['B. Be long.', null],
    ['Be long, not: Be brief.', null],
    ['A or B', null],
    ['A\nB', null],
    ['A) was her earlier wish, so the answer is B.', null],
    ['A\n\nWait, B fits better.', null],
    ['A. Rejected because it is stale.', null],
    ['A good answer is short.', null],
  ])('of the answer %j, the task reads the option %j', async (answer, index) => {
    const { stdout } = await run(
      getPart('validators'),
      [
        '-B',
        '-c',
        READ_LETTER,
        JSON.stringify([answer, ['Be long.', 'Be brief.', 'Be long, then be kind.']]),
      ],
      { cwd: HARNESS },
    );
    expect(JSON.parse(stdout)).toBe(index);
  });
});

/** A model that answers with the letter that another one chose for the same prompt. */
const ANSWERING_BY_PROMPT = `
import { readFileSync } from 'node:fs';
const letters = JSON.parse(readFileSync(new URL('letters.json', import.meta.url), 'utf8'));
export default ({ system, messages: [{ content }] }) => '### Choice\\n\\n' + letters[system + '\\n\\n' + content];
`;

const READ_LETTER =
  'import json, sys, cupid_tasks; print(json.dumps(cupid_tasks.read_letter(*json.loads(sys.argv[1]))))';

const harnessTaskSchema = z.object({
  metrics: z.record(z.string(), z.union([z.number(), z.string()])),
  answers: z.array(z.object({ prompt: z.string(), letter: z.string() })).length(3 * PERSONAS),
});

const harnessSchema = z.object({
  cupid_choice_likelihood: harnessTaskSchema,
  cupid_choice_generate: harnessTaskSchema,
});

describe('the description of a data set in Croissant', () => {
  const EDGE = inFolder('edge');
  const records = buildEdgeRecords(4);
  let made = 0;
  beforeAll(() => writeRun(EDGE, records));

  /** Exports a data set of the run, then its description. @param shardBytes 1 for a file per row */
  async function describeData(name: string, shardBytes?: number) {
    made += 1;
    const [data, described] = [inFolder(`exported-${made}`), inFolder(`described-${made}`)];
    const around = { ...AROUND, ...(shardBytes !== undefined && { shardBytes }) };
    await exportData(join(EDGE, name), { format: 'parquet', outputDir: data }, around);
    await exportData(data, { format: 'croissant', outputDir: described, repo: 'kim/cupid' }, AROUND);
    return { data, file: join(described, 'croissant.json') };
  }

  // A list of messages inside the list of dialogues is described in words only.
  const instances = buildEdgeInstances(4).map((row) => ({
    ...row,
    prior_interactions: row.prior_interactions.map(({ dialogue: _left, ...prior }) => prior),
  }));
  const rowsOfRecords = convertToTable(records).map((record) => ({
    ...record,
    interactions: record.interactions.map(({ chat: _left, ...interaction }) => interaction),
  }));

  test.each([
    ['instances of one file', 'CUPID-Unverified', 'instances', undefined, instances],
    ['instances of many files', 'CUPID-Unverified', 'instances', 1, instances],
    ['records of one file', 'CUPID-Raw', 'records', undefined, rowsOfRecords],
    ['records of many files', 'CUPID-Raw', 'records', 1, rowsOfRecords],
  ])('mlcroissant accepts it, and reads every row: %s', async (_of, name, recordSet, shardBytes, rows) => {
    const { data, file } = await describeData(name, shardBytes);
    await validateCroissant(file);
    const script = join(__dirname, '..', '..', 'readers', 'read_croissant.py');
    const { stdout } = await run(getPart('validators'), [script, file, data, recordSet], {
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(JSON.parse(stdout)).toEqual(rows);
  });

  test('mlcroissant rejects a damaged one', async () => {
    const { file } = await describeData('CUPID-Unverified');
    const damaged = inFolder('damaged.json');
    await writeFile(damaged, (await readFile(file, 'utf8')).replace('"contentUrl"', '"content"'));
    await expect(validateCroissant(damaged)).rejects.toThrow(/contentUrl/);
  });
});

async function validateCroissant(file: string): Promise<void> {
  await run(getPart('validators'), ['-m', 'mlcroissant.scripts.validate', '--jsonld', file]);
}

const sampleOfTaskSchema = z.object({
  input: z.string(),
  choices: z.array(z.string()).nullable(),
  target: z.string(),
});
const taskSchema = z.object({ accuracy: z.number(), samples: z.array(sampleOfTaskSchema) });
const tasksSchema = z.object({ choice: taskSchema, generation: taskSchema });

const scoreSchema = z.object({
  evaluation_result_id: z.string(),
  metric_config: z.object({
    metric_id: z.string(),
    llm_scoring: z
      .object({
        judges: z.array(z.object({ model_info: z.object({ id: z.string() }) })),
        input_prompt: z.string(),
      })
      .optional(),
  }),
  score_details: z.object({
    score: z.number(),
    uncertainty: z.object({ confidence_interval: z.object({ lower: z.number(), upper: z.number() }) }),
  }),
});

const recordSchema = z.object({
  model_info: z.object({ name: z.string() }),
  evaluation_results: z.array(scoreSchema),
  detailed_evaluation_results: z.object({ file_path: z.string(), total_rows: z.number() }),
});

const sampleSchema = z.object({
  evaluation_result_id: z.string(),
  evaluation: z.object({ score: z.number() }),
});

test('Every Eval Ever accepts the records; scores, intervals and lines are those of the results', async () => {
  const out = inFolder('records');
  const exported = await runLoaded(['export', RESULTS, '--format', 'every-eval-ever', '--output-dir', out]);
  expect(exported).toMatchObject({ code: 0 });
  const files = await readdir(out, { recursive: true });
  const records = files.filter((file) => file.endsWith('.json'));
  expect(records.map(dirname).toSorted()).toEqual(
    ['all', 'none'].map((reads) => `data/cupid/simulated/default-reads=${reads}`),
  );
  // Exit code 2 would mean warnings.
  const validate = ['-m', 'every_eval_ever', 'validate', '--format=json', 'data/*/*/*/*.json*'];
  const { stdout } = await run(getPart('validators'), validate, { cwd: out });
  expect(z.array(z.object({ valid: z.literal(true) })).parse(JSON.parse(stdout))).toHaveLength(4);
  const results = await readResults(RESULTS);
  for (const file of records) {
    const record = recordSchema.parse(JSON.parse(await readFile(join(out, file), 'utf8')));
    const cells = results.cells.filter(({ model }) => model === record.model_info.name);
    expect(
      record.evaluation_results.map(({ metric_config: { metric_id: id }, score_details: details }) => {
        const { lower, upper } = details.uncertainty.confidence_interval;
        return [id, details.score, { low: lower, high: upper }];
      }),
    ).toEqual(
      cells.flatMap(({ all: { inference, generation, choice } }) => [
        ...(['f1', 'precision', 'recall'] as const).flatMap((key) =>
          inference === null ? [] : [[`cupid.${key}`, inference[key], inference.intervals[key]]],
        ),
        ...(generation === null
          ? []
          : [['cupid.average_score', generation.average_score, generation.intervals.average_score]]),
        ...(['accuracy', 'paired_accuracy'] as const).flatMap((key) =>
          choice === null ? [] : [[`cupid.${key}`, choice[key], choice.intervals[key]]],
        ),
      ]),
    );
    await expectSamples(out, record);
    for (const { metric_config: metric } of record.evaluation_results) {
      const judge = metric.llm_scoring?.judges[0]?.model_info.id;
      const isChoice = /accuracy/.test(metric.metric_id);
      expect(judge).toBe(isChoice ? undefined : 'simulated/default');
      if (!isChoice) expect(metric.llm_scoring?.input_prompt).toContain('{preference}');
    }
  }
});

/** Checks that the lines of a record average to its scores, except the F1, which is a micro average. */
async function expectSamples(out: string, record: z.infer<typeof recordSchema>): Promise<void> {
  const { file_path: path, total_rows: rows } = record.detailed_evaluation_results;
  const lines = (await readFile(join(out, path), 'utf8')).trimEnd().split('\n');
  expect(rows).toBe(4 * 3 * PERSONAS);
  expect(lines).toHaveLength(rows);
  const samples = groupBy(
    lines.map((line) => sampleSchema.parse(JSON.parse(line))),
    ({ evaluation_result_id: id }) => id,
  );
  expect([...samples.values()].map(({ length }) => length)).toEqual(Array(4).fill(3 * PERSONAS));
  const means = record.evaluation_results.filter(
    ({ metric_config: { metric_id: id } }) => id === 'cupid.accuracy' || id === 'cupid.average_score',
  );
  for (const { evaluation_result_id: id, score_details: details } of means) {
    const own = samples.get(id) ?? [];
    const sum = own.reduce((total, { evaluation }) => total + evaluation.score, 0);
    expect(sum / own.length).toBeCloseTo(details.score, 10);
  }
}
