import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { groupBy } from '../../rules/group-by';
import type { Instance } from '../../schemas/dataset/instance';
import type { EvaluationRow } from '../../schemas/evaluation/evaluation';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries } from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, startEval } from './processes';
import { hashResults, readResultRows, readResults, writeInstances } from './results';
import { expectSurvival } from './survival';

/** Enough for 32k tokens of other personas. */
const PERSONAS = 24;
/** Rows of five of them. */
const LIMIT = 15;
const READERS = ['none', 'last', 'first', 'all'].map((reads) => `simulated:default?reads=${reads}`);

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');
const RESULTS = inFolder('results');

let instances: Instance[];
let standIn: StandIn;

beforeAll(async () => {
  instances = await writeInstances(DATA, PERSONAS);
  standIn = await startStandIn({ simulated: { malformed: '0.05' } });
  const ended = await choose(RESULTS, '--model', ...READERS, '--history=own,32k', `--limit=${LIMIT}`);
  expect(ended).toMatchObject({ code: 0 });
});
afterEach(endLeftovers);
afterAll(() => standIn.goDown());

test('models are distinguished by what they read, and 0 stays the floor of paired accuracy', async () => {
  const { cells, analyses } = await readResults(RESULTS);
  const [none, last, first, all] = READERS.map((model) => {
    const find = (context: string) => cells.find((cell) => cell.model === model && cell.context === context);
    return { own: find('full')?.all.choice, long: find('full@32k')?.all.choice };
  });
  expect([none?.own, none?.long]).toEqual([
    expect.objectContaining({ paired_accuracy: 0 }),
    expect.objectContaining({ paired_accuracy: 0 }),
  ]);
  // No filler mentions what the request is about, so that these readers find what they found.
  expect(all?.long).toEqual(all?.own);
  expect(first?.long).toEqual(first?.own);
  // The last session is nearly always one of another persona.
  expect(last?.long?.accuracy).toBeLessThan(all?.long?.accuracy ?? 0);
  expect(analyses.histories.map(({ context }) => context)).toEqual(
    READERS.flatMap(() => ['full', 'full@32k']),
  );
});

test('the rows of a persona have the same fillers, and no history exceeds its tier', async () => {
  const rows = [...(await readResultRows(RESULTS)).values()].filter(({ context }) => context === 'full@32k');
  for (const personaRows of groupBy(rows, ({ persona_id }) => persona_id).values()) {
    const added = personaRows.map((row) => row.n_prior_sessions - countOwnSessions(row));
    expect(new Set(added).size).toBe(1);
    for (const { prior_tokens } of personaRows) expect(prior_tokens).toBeLessThanOrEqual(32_000);
    expect(Math.max(...personaRows.map(({ prior_tokens }) => prior_tokens))).toBeGreaterThan(30_000);
  }
});

test('a memory finds the evidence among the fillers', async () => {
  const results = inFolder('memory');
  const memory = ['--memory', 'command:python3 docs/memory/bm25.py 4', '--context=memory'];
  const careful = 'simulated:careful';
  const ended = await choose(results, '--model', careful, ...memory, '--history=own,32k', `--limit=${LIMIT}`);
  expect(ended).toMatchObject({ code: 0 });
  const { analyses } = await readResults(results);
  const figures = analyses.memory.filter(({ instance_type: type }) => type === 'all');
  expect(figures.map(({ context }) => context)).toEqual(['memory', 'memory@32k']);
  for (const { evidence_recall: recall } of figures) {
    expect(recall.find(({ k }) => k === 4)?.share?.share).toBeGreaterThan(0.5);
  }
});

test('kills leave the same bytes, and no answered call is made again', async () => {
  const options = [
    `--data=${DATA}`,
    `--model=${standIn.specOf('tested')}`,
    `--evaluator=${standIn.specOf('evaluator')}`,
    '--history=32k',
    `--limit=${LIMIT}`,
    '--concurrency=2',
  ];
  const undisturbed = inFolder('undisturbed');
  const ended = { code: 0 };
  expect(await runLoaded(['eval', `--results-dir=${undisturbed}`, ...options])).toMatchObject(ended);
  const results = inFolder('killed');
  const calls = await countJournalEntries(undisturbed);
  standIn.latency = 400;
  const start = () => startEval(results, options);
  const hashes = await hashResults(undisturbed);
  await expectSurvival(
    { folder: results, standIn, start, calls, concurrency: 2, ended, hash: hashResults, hashes },
    [['command', 'both'], 1],
  );
});

test('histories stay as they are when the data grow and the tier does', async () => {
  const results = inFolder('grown');
  const data = inFolder('growing.parquet');
  const model = ['--model', 'simulated:careful'];
  await writeParquet(data, INSTANCE_COLUMNS, instances.slice(0, 3 * (PERSONAS - 4)));
  expect(await chooseFrom(data, results, ...model, '--history=32k', '--limit=3')).toMatchObject({ code: 0 });
  const [before] = readHistories(results);
  const asked = await countJournalEntries(results);
  await writeParquet(data, INSTANCE_COLUMNS, instances);
  const again = await chooseFrom(data, results, ...model, '--history=32k', '--limit=3');
  expect(again).toMatchObject({ code: 0 });
  expect(readHistories(results)[0]).toEqual(before);
  expect(await countJournalEntries(results)).toBe(asked);
  const tooLong = await chooseFrom(data, results, ...model, '--history=1M', '--limit=3');
  expect(tooLong).toMatchObject({ code: 2 });
  expect(tooLong.stderr).toMatch(/--history 1M: .* has too few sessions of other personas/);
  expect(readHistories(results)[0]).toEqual(before);
});

test('a model with a small window is named, and has no number instead of a 0', async () => {
  const table = inFolder('models.yaml');
  const model = 'simulated:careful';
  writeFileSync(
    table,
    JSON.stringify([{ model, contextWindow: 16_000, checked: '2026-11-29', source: 'this test' }]),
  );
  const ended = await choose(
    inFolder('small'),
    '--model',
    model,
    '--history=own,32k',
    '--limit=3',
    `--models=${table}`,
  );
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stderr).toContain('Left out: context full@32k of ');
  const { cells } = await readResults(inFolder('small'));
  expect(cells.map(({ context }) => context)).toEqual(['full']);
});

function countOwnSessions({ persona_id, instance_type }: EvaluationRow): number {
  const instance = instances.find(
    (candidate) => candidate.persona_id === persona_id && candidate.instance_type === instance_type,
  );
  return instance?.prior_interactions.length ?? 0;
}

function readHistories(results: string): unknown[] {
  const file = join(results, '.cupid', 'inputs', 'histories', '000001.json');
  const parsed: { readonly histories: unknown[] } = JSON.parse(readFileSync(file, 'utf8'));
  return parsed.histories;
}

async function choose(results: string, ...options: readonly string[]) {
  return chooseFrom(DATA, results, ...options);
}

async function chooseFrom(data: string, results: string, ...options: readonly string[]) {
  return runLoaded(['eval', '--results-dir', results, '--data', data, '--task', 'choice', ...options]);
}
