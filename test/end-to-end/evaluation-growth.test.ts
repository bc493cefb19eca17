import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { editSealed } from '../edit-sealed';
import type { Instance } from '../../schemas/dataset/instance';
import type { EvaluationRow } from '../../schemas/evaluation/evaluation';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import type { Ended, Running } from './command';
import { needing } from '../parts/needing';
import { S3Server } from '../s3-server';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries, readJournalSnapshot, listRepeated } from './journal';
import { runLoaded } from './loaded-command';
import { estimateCalls } from './estimated';
import { endLeftovers, startEval, until, kill } from './processes';
import { hashResults, readResultRows, readResults, writeInstances } from './results';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');
/** Two personas, three instances each. */
const INSTANCES = 6;
const GROWN = inFolder('grown');

let standIn: StandIn;
let wholeHashes: Record<string, string>;

beforeAll(async () => {
  await writeInstances(DATA, 2);
  standIn = await startStandIn();
  const whole = inFolder('whole');
  expect(await evaluate(whole, ['one'], ['judge'])).toMatchObject({ code: 0 });
  wholeHashes = await hashResults(whole);
});
afterEach(async () => {
  standIn.latency = 0;
  await endLeftovers();
});
afterAll(() => standIn.goDown());

test('an evaluation that grows asks only what is new, and leaves the rows that it had as they were', async () => {
  await expectGrowth(['one'], ['judge'], ['--limit=3'], { one: 3, judge: 3 * 3 });
  await expectGrowth(['one'], ['judge'], [], { one: 3, judge: 3 * 3 });
  // Its bytes are those of all instances at once.
  expect(await hashResults(GROWN)).toEqual(wholeHashes);

  const asked = { one: INSTANCES, two: 2 * INSTANCES, judge: (3 + 2) * INSTANCES };
  await expectGrowth(['one', 'two'], ['judge'], ['--task=both'], asked);
  await expectGrowth(['one', 'two'], ['other'], ['--task=both'], { other: 2 * 4 * INSTANCES });
  const matcher = ['--use-matcher', `--matcher=${standIn.specOf('prefmatcher')}`];
  await expectGrowth(['one', 'two'], ['judge'], matcher, { prefmatcher: 2 * 2 * INSTANCES });
  await expectGrowth(['one'], ['judge'], ['--context=none'], { one: INSTANCES, judge: 3 * INSTANCES });

  // Rescored by another evaluator, it asks no model under test.
  const rows = await readResultRows(GROWN);
  const rescored = await askedBy(() => rescore(GROWN, `--evaluator=${standIn.specOf('fresh')}`));
  // Inference by three arms, of two models and two contexts, and generation by two.
  expect(rescored).toEqual({ fresh: (3 * 3 + 2) * INSTANCES });
  expectKept(rows, await readResultRows(GROWN));
});

test('an answer that was lost from finished results is asked for again, and they are as they were', async () => {
  const results = inFolder('lost');
  cpSync(inFolder('whole'), results, { recursive: true });
  const journal = join(results, '.cupid', 'journal');
  const [lost] = readdirSync(journal, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.includes('.match.'),
  );
  rmSync(join(journal, lost ?? ''));
  const before = standIn.received.length;
  expect(await evaluate(results, ['one'], ['judge'])).toMatchObject({ code: 0 });
  expect(standIn.received.length - before).toBe(1);
  expect(await hashResults(results)).toEqual(wholeHashes);
});

describe('--rescore', () => {
  test('starts no engine, needs no model and no key, and leaves the same bytes', async () => {
    const results = inFolder('rescored');
    cpSync(inFolder('whole'), results, { recursive: true });
    rmSync(join(results, '.cupid', 'engine'), { recursive: true });
    await standIn.goDown();
    expect(await rescore(results)).toMatchObject({ code: 0 });
    expect(await hashResults(results)).toEqual(wholeHashes);
    expect(existsSync(join(results, '.cupid', 'engine'))).toBe(false);

    const keyless = inFolder('keyless');
    cpSync(inFolder('whole'), keyless, { recursive: true });
    const file = join(keyless, 'run.json');
    writeFileSync(file, removeAddresses(readFileSync(file, 'utf8')));
    editSealed(join(keyless, '.cupid', 'inputs', 'evaluation.json'), removeAddresses);
    expect(await rescore(keyless)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/openai:one +\d/),
    });
    await standIn.comeBack();
  });

  test('of an evaluation that is not done asks no model under test, and what it leaves open is done after it', async () => {
    const results = inFolder('partial');
    const begin = () => startEval(results, optionsOf(['one'], ['judge'], ['--concurrency=1']));
    await killedAsking(begin, 3);
    // The others are not inferred yet.
    expect((await readJournalSnapshot(results)).size).toBeLessThan(INSTANCES);
    const before = standIn.received.length;
    const again = ['--rescore', `--evaluator=${standIn.specOf('judge')}`, '--concurrency=1'];
    await killedAsking(() => startEval(results, again), 2);
    expect(new Set(standIn.received.slice(before).map(({ model }) => model))).toEqual(new Set(['judge']));

    standIn.latency = 0;
    const known = await readJournalSnapshot(results);
    // The evaluation that was to ask no model under test is open in the engine still.
    expect(await evaluate(results, ['one'], ['judge'], '--concurrency=1')).toMatchObject({ code: 0 });
    expect(await hashResults(results)).toEqual(wholeHashes);
    expect(listRepeated(known, await readJournalSnapshot(results))).toEqual([]);
  });

  test('is refused together with a model', async () => {
    const withModel = await rescore(inFolder('whole'), `--model=${standIn.specOf('one')}`);
    expect(withModel).toMatchObject({ code: 2 });
    expect(withModel.stderr).toContain('--rescore calls no model under test');
  });
});

test('an evaluation that is killed as soon as it has grown is not taken for finished', async () => {
  const small = inFolder('small');
  expect(await evaluate(small, ['one'], ['judge'], '--limit=3')).toMatchObject({ code: 0 });
  const plan = join(small, '.cupid', 'inputs', 'evaluation.json');
  const before = readFileSync(plan, 'utf8');
  const running = startEval(small, optionsOf(['one'], ['judge'], []), { PATH: withoutEngine() });
  await until(() => readFileSync(plan, 'utf8') !== before);
  await kill(running);
  expect(JSON.parse(readFileSync(join(small, 'run.json'), 'utf8'))).toMatchObject({ state: 'finished' });

  const asked = await askedBy(() => evaluate(small, ['one'], ['judge']));
  expect(asked).toEqual({ one: 3, judge: 3 * 3 });
  expect(await hashResults(small)).toEqual(wholeHashes);
});

describe('data that change', () => {
  const GROWN_DATA = inFolder('grown.parquet');
  /** An undisturbed evaluation of the grown data. */
  const WHOLE = inFolder('grown-whole');
  let instances: readonly Instance[];

  beforeAll(async () => {
    instances = await writeInstances(GROWN_DATA, 3);
    standIn.latency = 0;
    expect(await evaluateOn(WHOLE, GROWN_DATA)).toMatchObject({ code: 0 });
  });

  test('an evaluation on data that grew asks only about the rows that are new, even if it is killed, and ends as if they had always been there', async () => {
    const results = inFolder('data-grown');
    cpSync(inFolder('whole'), results, { recursive: true });
    const kept = await readJournalSnapshot(results);
    const before = standIn.received.length;
    await killedAsking(() => startEval(results, [...evaluationOn(GROWN_DATA), '--concurrency=1']), 5);
    const known = await readJournalSnapshot(results);
    expect(known.size).toBe(kept.size + 4);
    standIn.latency = 0;
    expect(await evaluateOn(results, GROWN_DATA)).toMatchObject({ code: 0 });
    // The call that was in flight is repeated.
    expect(standIn.received.length - before).toBe(3 * 4 + 1);
    expect(listRepeated(known, await readJournalSnapshot(results))).toEqual([]);
    expect(await hashWithoutHistory(results)).toEqual(await hashWithoutHistory(WHOLE));
    const { data } = await readResults(results);
    expect(data).toMatchObject({ instances: 9, earlier: [{ instances: 6, source: DATA }] });
    const again = await evaluateOn(results, GROWN_DATA);
    expect(again.stderr).toContain('already finished');
  });

  needing('storage').test(
    'so does one on object storage, whose results folder is lost when it is killed',
    async () => {
      const server = new S3Server();
      await server.start();
      try {
        const stored = [`--store=s3://${server.bucket}/grown`, '--concurrency=1'];
        const before = standIn.received.length;
        const begun = runLoaded(
          ['eval', `--results-dir=${inFolder('stored')}`, ...evaluationOn(DATA), ...stored],
          server.environment,
        );
        expect(await begun).toMatchObject({ code: 0 });
        const growing = [...evaluationOn(GROWN_DATA), ...stored];
        await killedAsking(() => startEval(inFolder('stored'), growing, server.environment), 5);
        rmSync(inFolder('stored'), { recursive: true });
        standIn.latency = 0;
        const found = inFolder('stored-found');
        const ended = await runLoaded(['eval', `--results-dir=${found}`, ...growing], server.environment);
        expect(ended).toMatchObject({ code: 0 });
        expect(standIn.received.length - before).toBe(9 * 4 + 1);
        expect(await hashWithoutHistory(found)).toEqual(await hashWithoutHistory(WHOLE));
      } finally {
        await server.remove();
      }
    },
  );

  test('says what was added, also if the rows are in another order in another kind of file', async () => {
    const results = inFolder('data-moved');
    cpSync(inFolder('whole'), results, { recursive: true });
    const moved = inFolder('moved.jsonl');
    writeRows(moved, instances.toReversed());
    const asked = await askedBy(async () => {
      const ended = await evaluateOn(results, moved);
      expect(ended.stderr).toContain(
        'The data grew: 3 instances of 1 persona were added; the answers on 6 instances are kept.',
      );
      return ended;
    });
    expect(asked).toEqual({ one: 3, judge: 9 });
    expectKept(await readResultRows(inFolder('whole')), await readResultRows(results));
    expect([...(await readResultRows(results)).values()].map(({ persona_id }) => persona_id)).toEqual(
      instances.toReversed().map(({ persona_id }) => persona_id),
    );
  });

  test('rows that changed are named, and done again only on request; rows that left come back with their answers', async () => {
    const results = inFolder('data-changed');
    cpSync(WHOLE, results, { recursive: true });
    const [first] = instances;
    if (first === undefined) throw new Error('There is no instance.');
    const changed = inFolder('changed.jsonl');
    const changedRow = { ...first, current_request: `${first.current_request} Please.` };
    // The last persona has left.
    writeRows(changed, [changedRow, ...instances.slice(1, 6)]);
    const name = `1 instance of 1 persona: ${first.persona_id} (${first.instance_type})`;
    const hashes = await hashResults(results);
    const refused = await evaluateOn(results, changed);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(
      `differs from the data of the evaluation in ${results}. Changed: ${name}.`,
    );
    expect(refused.stderr).toContain('repeat the command with --repeat-changed');
    expect(await hashResults(results)).toEqual(hashes);

    const asked = await askedBy(async () => {
      const ended = await evaluateOn(results, changed, '--repeat-changed');
      expect(ended.stderr).toContain(`Done again, because they changed: ${name}.`);
      expect(ended.stderr).toContain(
        'No longer in the data, so left out of the results: 3 instances of 1 persona',
      );
      return ended;
    });
    expect(asked).toEqual({ one: 1, judge: 3 });
    const undisturbed = inFolder('changed-whole');
    expect(await evaluateOn(undisturbed, changed)).toMatchObject({ code: 0 });
    expect(await hashWithoutHistory(results)).toEqual(await hashWithoutHistory(undisturbed));

    const back = await askedBy(async () => {
      const ended = await evaluateOn(results, GROWN_DATA, '--repeat-changed');
      expect(ended.stderr).toContain('Of these, 4 instances were in earlier data as they are now.');
      return ended;
    });
    expect(back).toEqual({});
    expect(await hashWithoutHistory(results)).toEqual(await hashWithoutHistory(WHOLE));

    const other = inFolder('other.jsonl');
    writeRows(other, [changedRow]);
    const foreign = await evaluateOn(results, other, '--repeat-changed');
    expect(foreign).toMatchObject({ code: 2 });
    expect(foreign.stderr).toContain('none of its instances unchanged. Name another --results-dir.');
  });

  test('where a model chooses among the preferences of a persona, its rows change together', async () => {
    const results = inFolder('data-choice');
    const part = inFolder('part.jsonl');
    const choice = (data: string, ...more: readonly string[]) =>
      runLoaded([
        'eval',
        `--results-dir=${results}`,
        `--data=${data}`,
        '--model=simulated:default',
        '--task=choice',
        ...more,
      ]);
    writeRows(part, instances.slice(0, 5));
    expect(await choice(part)).toMatchObject({ code: 0 });
    expect((await choice(DATA)).stderr).toContain('so these change together');
    expect(await choice(DATA, '--repeat-changed')).toMatchObject({ code: 0 });
    expect(await countJournalEntries(results)).toBe(5 + 3);
    const rows = [...(await readResultRows(results)).values()];
    expect(new Set(rows.map(({ n_options }) => n_options))).toEqual(new Set([4]));
  });

  test('a verification asks only about personas that are new, and draws them after the others', async () => {
    const results = inFolder('data-verified');
    const options = [`--results-dir=${results}`, `--model=${standIn.specOf('verifier')}`, '--no-check'];
    const verify = (data: string, ...more: readonly string[]) =>
      runLoaded(['verify', data, ...options, ...more]);
    const all = await askedBy(() => verify(DATA));
    const known = await readJournalSnapshot(results);
    expect(await askedBy(() => verify(GROWN_DATA, '--sample=2'))).toEqual({});
    const calls = (all['verifier'] ?? 0) / 3;
    expect(await estimateCalls(results, ['verify', GROWN_DATA, ...options])).toBe(calls);
    const more = await askedBy(() => verify(GROWN_DATA));
    // One of the two was verified twice.
    expect(more['verifier']).toBe(calls);
    expect(listRepeated(known, await readJournalSnapshot(results))).toEqual([]);
  });
});

function optionsOf(
  models: readonly string[],
  evaluators: readonly string[],
  more: readonly string[],
): string[] {
  return [
    `--data=${DATA}`,
    ...models.map((name) => `--model=${standIn.specOf(name)}`),
    ...evaluators.map((name) => `--evaluator=${standIn.specOf(name)}`),
    ...more,
  ];
}

async function evaluate(
  results: string,
  models: readonly string[],
  evaluators: readonly string[],
  ...more: readonly string[]
): Promise<Ended> {
  return runLoaded(['eval', '--results-dir', results, ...optionsOf(models, evaluators, more)]);
}

/** Kills a command with one call in flight at its call of this number: those before it are in the journal, and it has no answer. */
async function killedAsking(start: () => Running, call: number): Promise<void> {
  const before = standIn.received.length;
  const asked = (calls: number) => until(() => standIn.received.length >= before + calls);
  // Time to see that the one before it has come.
  standIn.latency = 500;
  const running = start();
  await asked(call - 1);
  standIn.latency = 600_000;
  await asked(call);
  await kill(running);
}

/** Returns a PATH with a Temporal server that never answers, so that the command stores its plan and gets no further. */
function withoutEngine(): string {
  const programs = inFolder('programs');
  mkdirSync(programs);
  const server = join(programs, 'temporal');
  const script =
    'case $1 in --version) echo "temporal version 1.5.1 (Server 1.29.1)" ;; *) exec sleep 600 ;; esac';
  writeFileSync(server, `#!/bin/sh\n${script}\n`);
  chmodSync(server, 0o755);
  return [programs, process.env['PATH']].join(delimiter);
}

function evaluationOn(data: string): string[] {
  return [`--data=${data}`, `--model=${standIn.specOf('one')}`, `--evaluator=${standIn.specOf('judge')}`];
}

async function evaluateOn(results: string, data: string, ...more: readonly string[]): Promise<Ended> {
  return runLoaded(['eval', `--results-dir=${results}`, ...evaluationOn(data), ...more]);
}

function writeRows(file: string, instances: readonly Instance[]): void {
  writeFileSync(file, instances.map((instance) => `${JSON.stringify(instance)}\n`).join(''));
}

/** Computes what `hashResults` does, with the numbers in place of `results.json`, which tells where the data were. */
async function hashWithoutHistory(results: string): Promise<Record<string, unknown>> {
  const { data, ...numbers } = await readResults(results);
  return { ...(await hashResults(results)), 'results.json': { ...numbers, sha256: data.sha256 } };
}

async function rescore(results: string, ...more: readonly string[]): Promise<Ended> {
  return runLoaded(['eval', '--results-dir', results, '--rescore', ...more]);
}

/** Counts the requests that a command sends to each model. */
async function askedBy(command: () => Promise<Ended>): Promise<Record<string, number>> {
  const before = standIn.received.length;
  expect(await command()).toMatchObject({ code: 0 });
  const asked: Record<string, number> = {};
  for (const { model } of standIn.received.slice(before)) asked[model] = (asked[model] ?? 0) + 1;
  expect(standIn.misunderstood).toEqual([]);
  return asked;
}

async function expectGrowth(
  models: readonly string[],
  evaluators: readonly string[],
  more: readonly string[],
  expected: Readonly<Record<string, number>>,
): Promise<void> {
  const before = existsSync(GROWN) ? await readResultRows(GROWN) : new Map<string, EvaluationRow>();
  const known = await readJournalSnapshot(GROWN);
  const command = ['eval', `--results-dir=${GROWN}`, ...optionsOf(models, evaluators, more)];
  const received = standIn.received.length;
  const estimated = await estimateCalls(GROWN, command);
  expect(standIn.received).toHaveLength(received);
  expect(estimated).toBe(Object.values(expected).reduce((sum, count) => sum + count, 0));
  const asked = await askedBy(() => evaluate(GROWN, models, evaluators, ...more));
  expect(asked).toEqual(expected);
  expectKept(before, await readResultRows(GROWN));
  expect(listRepeated(known, await readJournalSnapshot(GROWN))).toEqual([]);
}

/** Expects all earlier rows unchanged, and others besides. */
function expectKept(
  before: ReadonlyMap<string, EvaluationRow>,
  after: ReadonlyMap<string, EvaluationRow>,
): void {
  expect([...before.keys()].map((key) => after.get(key))).toEqual([...before.values()]);
  expect(after.size).toBeGreaterThan(before.size);
}

/** Makes the models of a text ones of OpenAI, which need a key. */
function removeAddresses(text: string): string {
  return text.replaceAll(/openai-compatible:(\w+)@http:[\w.:/]+/g, 'openai:$1');
}
