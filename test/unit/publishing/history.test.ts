import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { renderInteractionLog } from '../../../data/prompts/evaluation-values';
import { readParsedRows } from '../../../data/readers/parquet-table';
import {
  openEvaluation,
  type ReadableEvaluation,
  writeEvaluationPlan,
  writeInstances,
} from '../../../data/run/evaluation-plan';
import { createFolderStore } from '../../../data/store/store';
import { openData } from '../../../data/sets/open';
import { readInstances } from '../../../data/sets/read';
import { CHOICE_COLUMNS, INSTANCE_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { exportData, type ExportRequest } from '../../../publishing/export';
import { validateData } from '../../../publishing/validate';
import { replaySessions } from '../../../rules/instances/replay';
import { readShownRow } from '../../../rules/method/trial-subject';
import { countTokens } from '../../../rules/statistics/tokens';
import { keepFillers } from '../../../runs/evaluate/fillers';
import { choiceQuestionSchema } from '../../../schemas/dataset/benchmark';
import { EXPORT_FORMATS, HISTORY_FORMATS } from '../../../schemas/dataset/export-format';
import type { Instance } from '../../../schemas/dataset/instance';
import { buildInstanceKey, INSTANCE_TYPES } from '../../../schemas/dataset/instance-type';
import { labelRowSchema, replayRowSchema } from '../../../schemas/dataset/replay';
import { evaluationSettingsSchema, type EvaluationInputs } from '../../../schemas/evaluation/evaluation-run';
import { HubStandIn } from '../../stand-in/hub-server';
import { createTemporaryFolder } from '../../temporary-folder';
import { buildPersona } from '../rules/history/personas';
import { AROUND } from './edge-data';
import { publishWith, REPO } from './publishable';

/** More than one file of stored instances, and enough sessions for 32k tokens. */
const ROWS = Array.from({ length: 60 }, (_, at) => buildPersona(at + 1)).flat();

const folder = createTemporaryFolder();
const data = join(folder, 'data.parquet');
let own: Awaited<ReturnType<typeof exportMemory>>;
let long: Awaited<ReturnType<typeof exportMemory>>;
let evaluation: ReadableEvaluation;

beforeAll(async () => {
  await writeParquet(data, INSTANCE_COLUMNS, ROWS);
  own = await exportMemory('own', {});
  long = await exportMemory('long', { history: '32k' });
  evaluation = await openNewEvaluation();
}, 120_000);

test('the sessions for a memory system are those that an evaluation with the same seed shows', async () => {
  for (const [at, row] of ROWS.entries()) {
    const { instance } = await readShownRow(evaluation, { instance: at + 1, context: 'memory@32k' });
    const { line, replay } = long.find(row);
    expect(line.includes(`"sessions":${JSON.stringify(replaySessions(instance))},"request"`)).toBe(true);
    expect(replay.sessions.length).toBeGreaterThan(row.prior_interactions.length);
    expect(countTokens(renderInteractionLog(instance.prior_interactions))).toBeLessThanOrEqual(32_000);
  }
});

test('labels name the same sessions as without fillers, and nothing else in a row changes', () => {
  for (const row of ROWS) {
    const [before, after] = [own.find(row), long.find(row)];
    for (const kind of ['evidence', 'stale', 'contrastive'] as const) {
      expect(after.show(kind)).toEqual(before.show(kind));
    }
    expect({ ...after.label, evidence: [], stale: [], contrastive: [] }).toEqual({
      ...before.label,
      evidence: [],
      stale: [],
      contrastive: [],
    });
    expect({ ...after.replay, sessions: [] }).toEqual({ ...before.replay, sessions: [] });
    expect(after.replay.sessions.map(({ id }) => id)).toEqual(
      after.replay.sessions.map((_, at) => `s${at + 1}`),
    );
  }
  expect(ROWS.some((row) => long.find(row).label.stale.length > 0)).toBe(true);
  expect(ROWS.some((row) => long.find(row).label.contrastive.length > 0)).toBe(true);
});

test('manifest and card say how long the histories are, and what fillers are', () => {
  expect(JSON.parse(long.read('manifest.json'))).toMatchObject({ history: { tokens: '32k', seed: 42 } });
  expect(long.read('README.md')).toContain(
    'at most 32,000 tokens of o200k_base. They were drawn with seed 42',
  );
  expect(long.read('README.md')).toContain("They are other people's conversations");
  expect(own.read('manifest.json')).not.toContain('history');
  expect(own.read('README.md')).not.toContain('Sessions of other personas');
});

test('a selection of personas has the same histories as the whole data set', async () => {
  const ids = join(folder, 'ids.txt');
  const persona = ROWS[150]?.persona_id;
  writeFileSync(ids, `${persona}\n`);
  const selected = await exportMemory('selected', { history: '32k', wherePersona: ids });
  const rows = ROWS.filter((row) => row.persona_id === persona);
  expect(selected.rowCount).toBe(rows.length);
  for (const row of rows) {
    expect(selected.find(row).line).toBe(long.find(row).line);
    expect(selected.find(row).label).toEqual(long.find(row).label);
  }
});

test('a task of lm-evaluation-harness asks the same choices about long histories, under a name of its own', async () => {
  const ids = join(folder, 'asked.txt');
  const asked = [ROWS[0]?.persona_id, ROWS[150]?.persona_id];
  writeFileSync(ids, asked.join('\n'));
  const ownQuestions = await exportQuestions('own-tasks', { wherePersona: ids });
  const questions = await exportQuestions('long-tasks', { wherePersona: ids, history: '32k' });
  expect(questions.rows).toHaveLength(6);
  for (const [at, row] of questions.rows.entries()) {
    expect({ ...row, input: '' }).toEqual({ ...ownQuestions.rows[at], input: '' });
    const number = 1 + ROWS.findIndex((candidate) => buildInstanceKey(candidate) === buildInstanceKey(row));
    const { instance } = await readShownRow(evaluation, { instance: number, context: 'full@32k' });
    expect(row.input.includes(renderInteractionLog(instance.prior_interactions))).toBe(true);
  }
  const task = questions.read('cupid_choice_likelihood_32k.yaml');
  expect(task).toContain('task: cupid_choice_likelihood_32k\n');
  expect(task).toMatch(/ {2}history:\n {4}tokens: 32k\n {4}seed: 42\n/);
  expect(ownQuestions.read('cupid_choice_likelihood.yaml')).not.toContain('history:');
  const card = questions.read('README.md');
  expect(card).toContain('--tasks cupid_choice_likelihood_32k ');
  expect(card).toContain("They are other people's conversations");
});

test('a benchmark has further tasks with long histories, and is valid', async () => {
  const ids = join(folder, 'benchmark.txt');
  const asked = [ROWS[0]?.persona_id, ROWS[150]?.persona_id];
  writeFileSync(ids, asked.join('\n'));
  const outputDir = join(folder, 'benchmark');
  const request = { format: 'benchmark', history: '32k', wherePersona: ids, outputDir } as const;
  await exportData(data, request, AROUND);
  const ownRows = await readQuestions(outputDir, 'choice');
  const extended = await readQuestions(outputDir, 'choice_32k');
  expect(extended).toHaveLength(6);
  for (const [at, row] of extended.entries()) {
    expect({ ...row, input: '' }).toEqual({ ...ownRows[at], input: '' });
    expect(row.input.length).toBeGreaterThan(2 * (ownRows[at]?.input.length ?? 0));
  }
  const { tasks } = evalFileSchema.parse(parse(readFileSync(join(outputDir, 'eval.yaml'), 'utf8')));
  expect(tasks.map(({ id, config }) => [id, config])).toEqual(
    ['choice', 'generation', 'choice_32k', 'generation_32k'].map((name) => [name, name]),
  );
  const card = readFileSync(join(outputDir, 'README.md'), 'utf8');
  expect(card).toContain('path: generation_32k/test.parquet');
  expect(card).toContain("They are other people's conversations");
  const rows: Instance[] = [];
  for await (const row of readInstances(await openData(outputDir, AROUND))) rows.push(row);
  expect(rows).toEqual(ROWS.filter(({ persona_id: persona }) => asked.includes(persona)));
  expect(await listFindings(outputDir)).toEqual([]);
  const changed = extended.map((row, at) => (at === 2 ? { ...row, answer: 1 - row.answer } : row));
  await writeParquet(join(outputDir, 'choice_32k', 'test.parquet'), CHOICE_COLUMNS, changed);
  expect(await listFindings(outputDir)).toEqual([expect.objectContaining({ row: 3 })]);
});

test('a benchmark is published with the same questions, and without it the option is refused', async () => {
  const published = join(folder, 'published');
  await exportData(data, { format: 'parquet', outputDir: published }, AROUND);
  const hub = await HubStandIn.start();
  try {
    hub.users.set(TOKEN, { name: 'kim', role: 'write' });
    const environment = { HF_ENDPOINT: hub.url, HF_TOKEN: TOKEN, HF_HOME: join(folder, 'hub') };
    const around = { ...AROUND, environment };
    const request = { data: published, history: '32k', license: 'cc0-1.0' } as const;
    await expect(publishWith(request, around)).rejects.toThrow('of --benchmark: add it');
    await publishWith({ ...request, benchmark: true }, around);
    const file = join(folder, 'choice_32k.parquet');
    writeFileSync(file, hub.files(REPO).get('choice_32k/test.parquet') ?? '');
    const number = 5;
    const { instance } = await readShownRow(evaluation, { instance: number, context: 'full@32k' });
    const log = renderInteractionLog(instance.prior_interactions);
    const questions: string[] = [];
    for await (const { row } of readParsedRows(file, choiceQuestionSchema, '')) questions.push(row.input);
    expect(questions).toHaveLength(ROWS.length);
    expect(questions[number - 1]?.includes(log)).toBe(true);
  } finally {
    await hub.stop();
  }
});

const TOKEN = 'hf_ofTheseTests';

async function listFindings(place: string) {
  const { dataSets } = await validateData(place, AROUND);
  return dataSets.flatMap(({ findings }) => findings).filter(({ rule }) => rule === 'benchmark-of-data');
}

const evalFileSchema = z.object({ tasks: z.array(z.object({ id: z.string(), config: z.string() })) });

const OTHER_FORMATS = EXPORT_FORMATS.filter((format) => !HISTORY_FORMATS.some((one) => one === format));

test.each(OTHER_FORMATS)('%s refuses the option', async (format) => {
  const request = { format, history: '32k', outputDir: join(folder, 'refused') } as const;
  await expect(exportData(data, request, AROUND)).rejects.toThrow(
    `--history has no effect on --format ${format}: use --format`,
  );
});

test('data that are too small for a length say how many tokens they give', async () => {
  await expect(exportMemory('small', { history: '128k' })).rejects.toThrow(
    /^--history 128k: .* has too few sessions of other personas\. They suffice for \d\d,\d{3} tokens\.\nName a shorter history/,
  );
});

async function exportMemory(name: string, options: Partial<ExportRequest>) {
  const outputDir = join(folder, name);
  await exportData(data, { format: 'memory', outputDir, ...options }, AROUND);
  const read = (file: string) => readFileSync(join(outputDir, file), 'utf8');
  const lines = readLines(read('sessions.jsonl'));
  const replays = lines.map((line) => replayRowSchema.parse(JSON.parse(line)));
  const labels = readLines(read('labels.jsonl')).map((line) => labelRowSchema.parse(JSON.parse(line)));
  return {
    read,
    rowCount: replays.length,
    find(row: Instance) {
      const at = labels.findIndex(
        (candidate) =>
          candidate.persona_id === row.persona_id && candidate.instance_type === row.instance_type,
      );
      const [line, replay, label] = [lines[at], replays[at], labels[at]];
      if (line === undefined || replay === undefined || label === undefined)
        throw new Error('The export lacks a row.');
      const show = (kind: 'evidence' | 'stale' | 'contrastive') =>
        label[kind].map((id) =>
          replay.sessions
            .filter((session) => session.id === id)
            .map(({ messages }) => messages.map(({ role, content }) => [role, content])),
        );
      return { line, replay, label, show };
    },
  };
}

function readLines(text: string): string[] {
  return text.trimEnd().split('\n');
}

async function exportQuestions(name: string, options: Partial<ExportRequest>) {
  const outputDir = join(folder, name);
  await exportData(data, { format: 'lm-eval', outputDir, ...options }, AROUND);
  return {
    rows: await readQuestions(outputDir, 'choice'),
    read: (path: string) => readFileSync(join(outputDir, path), 'utf8'),
  };
}

async function readQuestions(place: string, name: string) {
  const rows: z.infer<typeof choiceQuestionSchema>[] = [];
  const file = join(place, name, 'test.parquet');
  for await (const { row } of readParsedRows(file, choiceQuestionSchema, '')) rows.push(row);
  return rows;
}

/** Opens a new evaluation of the data set with extended histories, as `eval` stores it. */
async function openNewEvaluation(): Promise<ReadableEvaluation> {
  const store = createFolderStore(join(folder, 'evaluation'));
  async function* listStored() {
    for (const instance of ROWS) {
      const priorTokens = countTokens(renderInteractionLog(instance.prior_interactions));
      yield { instance, priorTokens, synthesizer: null };
    }
  }
  await writeInstances(store, listStored());
  const inputs: EvaluationInputs = {
    kind: 'evaluation',
    id: 'cupid-eval-test',
    data: { argument: data, source: data, files: [], sha256: '', instances: ROWS.length },
    settings: evaluationSettingsSchema.parse({}),
    prompts: { source: 'test', hash: '' },
    models: ['simulated:default'],
    evaluators: [],
    cells: (['full@32k', 'memory@32k'] as const).map((context) => ({
      task: 'choice',
      model: 'simulated:default',
      context,
      selection: { limit: null, types: [...INSTANCE_TYPES] },
    })),
  };
  await keepFillers(store, inputs, { report: () => undefined });
  await writeEvaluationPlan(store, { inputs, prompts: { source: 'test', hash: '', prompts: {} } });
  return openEvaluation(store);
}
