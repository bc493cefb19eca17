import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { readCard } from '../../../data/card/read';
import { readParsedRows } from '../../../data/readers/parquet-table';
import { openJournal } from '../../../data/run/journal';
import { getSplit } from '../../../data/sets/persona-split';
import { readMarks } from '../../../data/sets/open';
import { openRunStore } from '../../../data/store/open-store';
import { exportData } from '../../../publishing/export';
import { groupBy } from '../../../rules/group-by';
import { exportReportSchema } from '../../../schemas/dataset/export';
import {
  answerPairRowSchema,
  chatRowSchema,
  responsePairRowSchema,
  turnRowSchema,
} from '../../../schemas/training/training';
import { evaluationRowSchema } from '../../../schemas/evaluation/evaluation';
import { getPart, needing } from '../../parts/needing';
import { MESSAGE_TYPE, readSplits } from '../../readers/readers';
import { createTemporaryFolder } from '../../temporary-folder';
import { AROUND } from '../../unit/publishing/edge-data';
import { runLoaded } from '../loaded-command';
import { readRecords } from '../outputs';

const { test } = needing('readers');
const withTrl = needing('validators');
const runFile = promisify(execFile);

const folder = createTemporaryFolder();
const run = join(folder, 'run');
/** The first is left out; the second to fourth are in train, validation and test. */
const PERSONAS = 4;

beforeAll(async () => {
  // Dialogues that fail are retried, so the accepted answers have several revisions.
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, JSON.stringify({ steps: { user: { maxRepairs: 0, maxSamples: 1 } } }));
  const failing = ['--user-model', 'simulated:default?malformed=0.03', '--settings', settings];
  const synth = [
    'synth',
    '--output-dir',
    run,
    '--model',
    'simulated:default',
    '--n-personas',
    String(PERSONAS),
  ];
  expect(await runLoaded([...synth, ...failing])).toMatchObject({ code: 3 });
  expect(await runLoaded(['retry', run, '--model', 'simulated:default'])).toMatchObject({ code: 0 });
});

const CHAT = `list<${MESSAGE_TYPE}>`;

const FORMATS = {
  turns: {
    row: turnRowSchema,
    columns: [
      'persona_id: string',
      'session: int64',
      'turn: int64',
      `prompt: ${CHAT}`,
      `completion: ${CHAT}`,
      'score: int64',
      'checklist: list<string>',
      'satisfied: list<string>',
      'raised: list<string>',
      'stale: bool',
    ],
  },
  // TRL's column of chats.
  sft: {
    row: chatRowSchema,
    columns: [
      'kind: string',
      'persona_id: string',
      'session: int64',
      'instance_type: string',
      `messages: ${CHAT}`,
    ],
  },
  // TRL's columns of preferences come first.
  'preference-pairs': {
    row: answerPairRowSchema,
    columns: [
      `prompt: ${CHAT}`,
      `chosen: ${CHAT}`,
      `rejected: ${CHAT}`,
      'chosen_score: int64',
      'rejected_score: int64',
      'persona_id: string',
      'session: int64',
      'chosen_turn: int64',
      'rejected_turn: int64',
      'stale: bool',
    ],
  },
} as const;

test.each(['turns', 'sft', 'preference-pairs'] as const)(
  '`datasets` loads %s, without the personas of the test split and of the canary',
  async (format) => {
    const out = join(folder, format);
    const ended = await runLoaded(['export', run, '--format', format, '--output-dir', out, '--json']);
    expect(ended).toMatchObject({ code: 0 });
    const report = exportReportSchema.parse(JSON.parse(ended.stdout));
    const splits = await readSplits(out);
    expect(Object.keys(splits)).toEqual(['train', 'validation']);
    const [first, ...others] = (await readRecords(run)).map(({ persona_id: id }) => id);
    let rows = 0;
    for (const [split, reading] of Object.entries(splits)) {
      expect(reading.columns).toEqual(FORMATS[format].columns);
      const read = z.array(FORMATS[format].row).parse(reading.rows);
      const personas = new Set(read.map(({ persona_id: id }) => id));
      expect([...personas]).toEqual(others.filter((id) => getSplit(id) === split));
      rows += read.length;
    }
    expect(report).toMatchObject({ format, samples: rows, simulated: true });
    const [left = ''] = report.notes;
    expect(left).toContain('Left out: 1 of the split test; the first one, from whose record');
    const text = readFileSync(join(out, 'README.md'), 'utf8');
    const source = readCard(readFileSync(join(run, 'CUPID-Raw', 'README.md'), 'utf8'));
    expect(readCard(text)).toMatchObject({ simulated: true, license: source.license, canary: undefined });
    expect(text).toContain(`the GUID \`${source.canary}\``);
    expect(text).toContain(left);
    for (const [name] of Object.entries(FORMATS[format].row.shape)) expect(text).toContain(`| \`${name}\` |`);
    expect(JSON.stringify(splits)).not.toContain(first);

    const again = join(folder, `${format}-again`);
    await exportData(run, { format, outputDir: again }, AROUND);
    for (const { path } of report.parts) {
      if (path.endsWith('.parquet')) {
        expect(await readMarks({ path: join(out, path), name: path })).toEqual({ simulated: true });
      }
      expect(readFileSync(join(again, path)).equals(readFileSync(join(out, path)))).toBe(true);
    }
  },
);

test('answers and scores are those of the journal, which belong together', async () => {
  const out = join(folder, 'compared');
  await exportData(run, { format: 'turns', outputDir: out }, AROUND);
  const read = Object.values(await readSplits(out)).flatMap(({ rows }) => rows);
  const turns = z.array(turnRowSchema).parse(read);
  const journal = openJournal(await openRunStore(run));
  const [workflow = ''] = await journal.workflows();
  const [id = ''] = workflow.split('/');
  const records = await readRecords(run);
  const revisions = new Set<string>();
  for (const { persona_id: persona, session, turn, completion, score, checklist, ...row } of turns) {
    const number = records.find((record) => record.persona_id === persona)?.persona.id;
    const entries = await journal.ofWorkflow(`${id}/p${number}/s${session}`);
    // The last answer of a call is the accepted one.
    const findAnswer = (step: string) =>
      entries.filter(({ key }) => key.includes(`.${step}.t${turn}.`)).at(-1);
    const content = findAnswer('assistant')?.answer.text.trim();
    expect(completion).toEqual([{ role: 'assistant', content }]);
    const reply = findAnswer('user');
    if (reply === undefined) {
      expect([score, row.satisfied, row.raised]).toEqual([null, null, null]);
      continue;
    }
    revisions.add(/#(r\d+)/.exec(reply.key)?.[1] ?? '');
    const [, evaluation = '', scored, , selected = ''] = reply.answer.text.split(/#### .*\n\n/);
    expect(score).toBe(Number(scored));
    const verdicts = [...evaluation.matchAll(/^(\d+)\..* (Satisfied|Dissatisfied)$/gm)];
    const satisfied = verdicts.flatMap(([, item, verdict]) => (verdict === 'Satisfied' ? Number(item) : []));
    expect(verdicts).toHaveLength(checklist.length);
    expect(row.satisfied).toEqual(satisfied.map((item) => checklist[item - 1]));
    expect(row.raised).toEqual((selected.match(/\d+/g) ?? []).map((item) => checklist[Number(item) - 1]));
  }
  expect([...revisions].toSorted()).toEqual(['r0', 'r1']);
  expect(new Set(turns.map(({ turn }) => turn)).size).toBeGreaterThan(3);
});

test('responses of models with different scores of a judge are pairs, as the results have them', async () => {
  const [results, out] = [join(folder, 'results'), join(folder, 'responses')];
  const models = ['simulated:default', 'simulated:default?reads=none'];
  const options = ['--task', 'generation', '--evaluator', 'simulated:default', '--context', 'full', 'none'];
  const evaluated = await runLoaded([
    'eval',
    '--data',
    run,
    '--results-dir',
    results,
    '--model',
    ...models,
    ...options,
  ]);
  expect(evaluated).toMatchObject({ code: 0 });
  const ended = await runLoaded(['export', results, '--format', 'preference-pairs', '--output-dir', out]);
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`load_dataset("${out}")`) });
  const splits = await readSplits(out);
  const pairs = Object.entries(splits).flatMap(([split, { columns, rows }]) => {
    expect(columns.slice(0, 3)).toEqual(FORMATS['preference-pairs'].columns.slice(0, 3));
    const read = z.array(responsePairRowSchema).parse(rows);
    for (const { persona_id: id } of read) expect(getSplit(id)).toBe(split);
    return read;
  });
  const judged: JudgedRow[] = [];
  for await (const { row } of readParsedRows(join(results, 'results.parquet'), judgedSchema, ''))
    judged.push(row);
  const [first] = judged;
  const expected = [...groupBy(judged, keyOf)].flatMap(([key, [one, other]]) =>
    one === undefined ||
    one.persona_id === first?.persona_id ||
    getSplit(one.persona_id) === 'test' ||
    one.score === other?.score
      ? []
      : [key],
  );
  expect(pairs.map(keyOf).toSorted()).toEqual(expected.toSorted());
  expect(pairs.length).toBeGreaterThan(3);
  for (const pair of pairs) {
    const find = (model: string) => judged.find((row) => keyOf(row) === keyOf(pair) && row.model === model);
    const { chosen_score: high, rejected_score: low } = pair;
    expect(find(pair.chosen_model)).toMatchObject({ score: high, response: pair.chosen[0]?.content });
    expect(find(pair.rejected_model)).toMatchObject({ score: low, response: pair.rejected[0]?.content });
    expect(high).toBeGreaterThan(low);
  }
});

const judgedSchema = evaluationRowSchema.pick({
  persona_id: true,
  instance_type: true,
  context: true,
  model: true,
  score: true,
  response: true,
});
type JudgedRow = z.infer<typeof judgedSchema>;

function keyOf({
  persona_id,
  instance_type,
  context,
}: Pick<JudgedRow, 'persona_id' | 'instance_type' | 'context'>) {
  return `${persona_id} ${instance_type} ${context}`;
}

withTrl.test('TRL takes every row for a chat, and gives each text under its own name', async () => {
  const formats = ['turns', 'sft', 'preference-pairs'] as const;
  const folders = [...formats.map((format) => join(folder, `trl-${format}`)), join(folder, 'responses')];
  for (const [at, format] of formats.entries())
    await exportData(run, { format, outputDir: folders[at] ?? '' }, AROUND);
  const script = join(__dirname, '..', '..', 'readers', 'read_training.py');
  const { stdout } = await runFile(getPart('validators'), [script, ...folders], {
    env: { ...process.env, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 256 * 1024 * 1024,
  });
  const read = takenSchema.parse(JSON.parse(stdout));
  for (const [at, { conversational, texts, unpaired }] of read.entries()) {
    const rows = Object.values(await readSplits(folders[at] ?? '')).flatMap((reading) => reading.rows);
    const chats = z.array(chatColumnsSchema).parse(rows);
    expect(conversational).toBe(true);
    expect(texts).toEqual(
      chats.map(({ messages, prompt, ...answers }) => ({
        ...(messages && { text: renderChat(messages) }),
        ...(prompt && { prompt: `${renderChat(prompt)}[assistant]` }),
        ...Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, answer?.[0].content])),
      })),
    );
    const kto = (label: boolean, name: 'chosen' | 'rejected') =>
      texts.map((text) => ({ prompt: text['prompt'], completion: text[name], label }));
    expect(unpaired).toEqual(
      'chosen' in (chats[0] ?? {}) ? [...kto(true, 'chosen'), ...kto(false, 'rejected')] : undefined,
    );
  }
});

const messageSchema = z.object({ role: z.string(), content: z.string() });
const answerSchema = z.tuple([messageSchema]);
/** TRL's columns of chats. */
const chatColumnsSchema = z.object({
  messages: z.array(messageSchema).optional(),
  prompt: z.array(messageSchema).optional(),
  completion: answerSchema.optional(),
  chosen: answerSchema.optional(),
  rejected: answerSchema.optional(),
});

const takenSchema = z.array(
  z.object({
    conversational: z.boolean(),
    texts: z.array(z.record(z.string(), z.string())),
    unpaired: z.array(z.unknown()).optional(),
  }),
);

/** Renders messages under the chat template of the script. */
function renderChat(messages: readonly z.infer<typeof messageSchema>[]): string {
  return messages.map(({ role, content }) => `[${role}]${content}`).join('');
}

test('a chosen split is exported in place of the others, but the hardest personas are not', async () => {
  const outputDir = join(folder, 'chosen');
  await exportData(run, { format: 'sft', outputDir, split: 'test' }, AROUND);
  const splits = await readSplits(outputDir);
  const ids = Object.values(splits).flatMap(({ rows }) =>
    z
      .array(chatRowSchema)
      .parse(rows)
      .map((row) => row.persona_id),
  );
  expect(Object.keys(splits)).toEqual(['test']);
  expect(new Set(ids.map(getSplit))).toEqual(new Set(['test']));
  const hardest = { count: 1, results: join(folder, 'results') };
  const exporting = exportData(run, { format: 'sft', outputDir: join(folder, 'none'), hardest }, AROUND);
  await expect(exporting).rejects.toThrow('--hardest may select personas of the test split');
});

test('an aborted export leaves nothing behind, and other data than a run is refused', async () => {
  const outputDir = join(folder, 'none');
  const signal = AbortSignal.abort();
  await expect(exportData(run, { format: 'turns', outputDir }, { ...AROUND, signal })).rejects.toThrow(
    'aborted',
  );
  await expect(exportData(join(run, 'CUPID-Raw'), { format: 'turns', outputDir }, AROUND)).rejects.toThrow(
    /CUPID-Raw is not the folder of a run\. --format turns needs one, because data sets have no scores/,
  );
  expect(existsSync(outputDir)).toBe(false);
});
