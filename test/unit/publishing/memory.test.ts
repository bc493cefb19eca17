import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { getSplit, SPLIT_SALT } from '../../../data/sets/persona-split';
import { version } from '../../../package.json';
import { exportData } from '../../../publishing/export';
import type { Instance } from '../../../schemas/dataset/instance';
import { SPLITS } from '../../../schemas/dataset/split';
import { createTemporaryFolder } from '../../temporary-folder';
import { renderLines } from '../data/sets/instances';
import { AROUND, buildEdgeInstances, buildEdgeRecords, writeRun } from './edge-data';
import { CANARY } from './sound-data';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
const INSTANCES = buildEdgeInstances(12);

const idSchema = z.string().regex(/^[0-9a-f]{16}$/);
/** Everything that a system under test may read. A field that is not listed fails the test. */
const replaySchema = z.strictObject({
  id: idSchema,
  persona: idSchema,
  split: z.enum(SPLITS),
  sessions: z.array(
    z.strictObject({
      id: z.string().regex(/^s\d+$/),
      messages: z.array(
        z.strictObject({
          id: z.string().regex(/^s\d+:t\d+$/),
          role: z.enum(['user', 'assistant']),
          content: z.string(),
        }),
      ),
    }),
  ),
  request: z.string(),
});
const labelsSchema = z.strictObject({
  id: idSchema,
  persona_id: z.string(),
  instance_type: z.string(),
  context_factor: z.string(),
  preference: z.string(),
  checklist: z.array(z.string()),
  evidence: z.array(z.string()),
  stale: z.array(z.string()),
  contrastive: z.array(z.string()),
  pair: idSchema.nullable(),
});
const manifestSchema = z.strictObject({
  canary: z.string().optional(),
  cupid: z.literal(version),
  data: z.strictObject({ source: z.string(), sha256: z.string() }),
  files: z.array(
    z.strictObject({ path: z.string(), rows: z.number(), bytes: z.number(), sha256: z.string() }),
  ),
  split: z.strictObject({
    rule: z.string(),
    salt: z.literal(SPLIT_SALT),
    splits: z.record(z.enum(SPLITS), z.strictObject({ personas: z.number(), rows: z.number() })),
  }),
});

let made = 0;
async function exportMemory(data: string) {
  made += 1;
  const out = join(folder, `out-${made}`);
  const report = await exportData(data, { format: 'memory', outputDir: out }, AROUND);
  const read = (name: string) => readFileSync(join(out, name), 'utf8');
  const lines = (name: string) =>
    read(name)
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  return {
    out,
    report,
    text: read('sessions.jsonl'),
    replays: z.array(replaySchema).parse(lines('sessions.jsonl')),
    labels: z.array(labelsSchema).parse(lines('labels.jsonl')),
    manifest: manifestSchema.parse(JSON.parse(read('manifest.json'))),
  };
}

let exported: Awaited<ReturnType<typeof exportMemory>>;
beforeAll(async () => {
  await writeRun(run, buildEdgeRecords(12));
  exported = await exportMemory(join(run, 'CUPID-Unverified'));
});

function findInstance({ persona_id: persona, instance_type: type }: z.infer<typeof labelsSchema>): Instance {
  const found = INSTANCES.find((one) => one.persona_id === persona && one.instance_type === type);
  if (found === undefined) throw new Error(`There is no ${persona} ${type}.`);
  return found;
}

test('each instance is a row of both files with one id, its texts verbatim and its labels apart', () => {
  const { replays, labels } = exported;
  expect(replays).toHaveLength(INSTANCES.length);
  expect(labels.map(({ id }) => id)).toEqual(replays.map(({ id }) => id));
  for (const [row, label] of labels.entries()) {
    const instance = findInstance(label);
    expect(replays[row]).toMatchObject({
      request: instance.current_request,
      split: getSplit(instance.persona_id),
      sessions: instance.prior_interactions.map(({ dialogue }, at) => ({
        id: `s${at + 1}`,
        messages: dialogue.map((message, turn) => ({ id: `s${at + 1}:t${turn + 1}`, ...message })),
      })),
    });
    expect(label).toMatchObject({
      context_factor: instance.current_context_factor,
      preference: instance.current_contextual_preference,
      checklist: instance.current_checklist,
    });
  }
});

test('outside of dialogues and requests, no label occurs in the sessions', () => {
  const { replays, text } = exported;
  const rest = JSON.stringify(
    replays.map((replay) => ({
      ...replay,
      request: '',
      sessions: replay.sessions.map(({ messages, ...session }) => ({
        ...session,
        messages: messages.map((message) => ({ ...message, content: '' })),
      })),
    })),
  );
  const labels = INSTANCES.flatMap((instance) => [
    instance.persona_id,
    instance.instance_type,
    instance.current_context_factor,
    instance.current_contextual_preference,
    ...instance.current_checklist,
    ...instance.prior_interactions.flatMap((prior) => [prior.context_factor, prior.contextual_preference]),
  ]);
  expect(labels.filter((label) => rest.includes(label))).toEqual([]);
  // As values of their own they are also in no dialogue.
  expect(labels.filter((label) => text.includes(JSON.stringify(label)))).toEqual([]);
  for (const field of Object.keys(INSTANCES[0] ?? {})) expect(text).not.toContain(field);
});

test('neither the order of rows nor ids reveal a type', async () => {
  const { labels, replays } = exported;
  const ids = labels.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set([...ids, ...replays.map(({ persona }) => persona)]).size).toBe(INSTANCES.length + 12);
  const types = labels.map(({ instance_type: type }) => type);
  for (const type of new Set(types)) {
    const places = types.flatMap((one, at) => (one === type ? at : []));
    expect(new Set(places.map((at) => at % 3)).size).toBeGreaterThan(1);
    expect(Math.max(...places) - Math.min(...places)).toBeGreaterThan(places.length);
  }
  const reversed = join(folder, 'reversed.jsonl');
  writeFileSync(reversed, renderLines(INSTANCES.toReversed()));
  expect((await exportMemory(reversed)).text).toBe(exported.text);
});

test('evidence, stale and contrastive sessions are named, and pairs name each other', () => {
  const { labels } = exported;
  const byId = new Map(labels.map((label) => [label.id, label]));
  for (const label of labels) {
    const { prior_interactions: prior } = findInstance(label);
    const list = (ids: readonly string[]) => ids.map((id) => prior[Number(id.slice(1)) - 1]);
    const type = label.instance_type;
    expect(label.evidence).toHaveLength(2);
    expect(label.stale).toHaveLength(type === 'changing' ? 2 : 0);
    expect(label.contrastive).toHaveLength(type === 'contrastive' ? 2 : 0);
    for (const session of list(label.evidence)) {
      expect(session).toMatchObject({
        context_factor: label.context_factor,
        contextual_preference: label.preference,
      });
    }
    for (const session of list(label.stale)) expect(session?.context_factor).toBe(label.context_factor);
    const pair = byId.get(label.pair ?? '');
    expect(pair?.pair).toBe(pair && label.id);
    expect([type, pair?.instance_type]).toEqual([type, PAIRS[type]]);
    expect(pair?.persona_id ?? label.persona_id).toBe(label.persona_id);
  }
});

const PAIRS: Readonly<Record<string, string>> = { consistent: 'changing', changing: 'consistent' };

test('the manifest says what the files are, of which data, and how many rows each split has', () => {
  const { out, report, manifest, replays } = exported;
  expect(readdirSync(out).toSorted()).toEqual([
    'README.md',
    'labels.jsonl',
    'manifest.json',
    'sessions.jsonl',
  ]);
  expect(report).toMatchObject({ instances: 36, parts: [{ rows: 36 }, { rows: 36 }, {}, {}] });
  expect(manifest.canary).toContain(CANARY);
  for (const { path, rows, bytes, sha256 } of manifest.files) {
    const content = readFileSync(join(out, path));
    expect([rows, bytes]).toEqual([36, content.length]);
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
  }
  const data = join(run, 'CUPID-Unverified', 'test.parquet');
  const sha256 = createHash('sha256').update(readFileSync(data)).digest('hex');
  expect(manifest.data).toEqual({ source: data, sha256 });
  for (const split of SPLITS) {
    const own = replays.filter((replay) => replay.split === split);
    expect(manifest.split.splits[split]).toEqual({
      personas: new Set(own.map(({ persona }) => persona)).size,
      rows: own.length,
    });
  }
});

test('records are refused, because sessions are written for each instance', async () => {
  mkdirSync(join(folder, 'records'));
  await expect(
    exportData(join(run, 'CUPID-Raw'), { format: 'memory', outputDir: join(folder, 'records') }, AROUND),
  ).rejects.toThrow('has records, and --format memory needs instances. Name the instances.');
});
