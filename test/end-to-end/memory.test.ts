import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EvaluationRow } from '../../schemas/evaluation/evaluation';
import { groupBy } from '../../rules/group-by';
import { createTemporaryFolder } from '../temporary-folder';
import { runCupid } from './command';
import { listRepeated, readJournalSnapshot, untilJournalHas } from './journal';
import { runLoaded, runLoadedChecked } from './loaded-command';
import { MemoryServer, type MemoryFault } from './memory-server';
import { endLeftovers, startEval, kill } from './processes';
import { readResultRows, writeInstances } from './results';

const PERSONAS = 20;
const INSTANCES = 3 * PERSONAS;
const BAD_INSTANCES = 24;
const EXAMPLES = resolve('docs/memory');

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');

beforeAll(() => writeInstances(DATA, PERSONAS));
afterEach(endLeftovers);

test('a perfect memory asks for the same as the full history, and an empty one for the same as none', async () => {
  for (const [name, script, context, same] of [
    ['perfect', `${EXAMPLES}/last_sessions.py 99`, 'full', 2],
    // If no history is shown, the three rows of a persona are one request.
    ['empty', `${EXAMPLES}/no_memory.py`, 'none', 6],
  ] as const) {
    const model = inFolder(`${name}.mjs`);
    await writeFile(model, RECORDER);
    const results = inFolder(name);
    const memory = ['--memory', `command:python3 ${script}`, '--memory-budget', '1000000'];
    const contexts = ['--context', `memory,${context}`, '--limit', '6'];
    expect(await choose(results, `module:${model}`, ...memory, ...contexts)).toMatchObject({ code: 0 });
    const requests = (await readFile(`${model}.log`, 'utf8')).trimEnd().split('\n');
    expect(requests).toHaveLength(2 * 6);
    // Each request was sent once with the memory and once with the history.
    const times = [...groupBy(requests, (text) => text).values()].map(({ length }) => length);
    expect(times).toEqual(times.map(() => same));
    const rows = [...(await readResultRows(results)).values()];
    const chosenIn = (wanted: string) =>
      rows.filter((row) => row.context === wanted).map((row) => row.chosen_option);
    expect(chosenIn('memory')).toEqual(chosenIn(context));
    expect(chosenIn('memory')).toHaveLength(6);
  }
});

test('a killed run and a killed memory give the numbers of an undisturbed run, and ask the model nothing twice', async () => {
  const bm25 = ['--memory', `command:python3 ${EXAMPLES}/bm25.py 3`, '--context', 'memory'];
  const once = inFolder('once');
  expect(await choose(once, SLOW, ...bm25)).toMatchObject({ code: 0 });

  // Ends in the middle of a user, once; the next process continues with nothing of it.
  const dying = inFolder('dying.py');
  await writeFile(dying, DYING);
  const killed = inFolder('killed');
  const options = ['--memory', `command:python3 ${dying} 3`, '--context', 'memory'];
  const running = startEval(killed, [...optionsFor(SLOW, ...options), '--concurrency', '4']);
  await untilJournalHas(killed, INSTANCES / 2, running);
  await kill(running);
  const before = await readJournalSnapshot(killed);
  expect(await choose(killed, SLOW, ...options)).toMatchObject({ code: 0 });
  expect(listRepeated(before, await readJournalSnapshot(killed))).toEqual([]);

  const rows = await readRows(killed);
  expect(rows).toEqual(await readRows(once));
  expect(rows).toHaveLength(INSTANCES);
  expect(await readFile(`${dying}.died`, 'utf8')).toBe('once');
  for (const row of rows) {
    expect(row.memory_sessions).toHaveLength(3);
    expect(row.evidence_sessions?.length).toBeGreaterThan(0);
  }
});

test('a memory that fails at every message in every way gives the numbers of one that does not, with and without kills', async () => {
  await using calm = await MemoryServer.start();
  const once = inFolder('calm');
  const limited = ['--limit', `${BAD_INSTANCES}`];
  expect(await choose(once, SLOW, ...limited, ...remember(calm.url))).toMatchObject({ code: 0 });
  const expected = await readRows(once);
  expect(expected.filter(({ memory_tokens: tokens }) => (tokens ?? 0) > 0)).toHaveLength(BAD_INSTANCES);

  await using server = await MemoryServer.start(failOnABadDay);
  const program = inFolder('bad-day.mjs');
  await writeFile(program, BAD_DAY);
  for (const [name, adapter] of [
    ['server', server.url],
    ['program', `command:node ${program}`],
  ] as const) {
    const results = inFolder(`bad-day-${name}`);
    const running = startEval(results, [
      ...optionsFor(SLOW, ...limited, ...remember(adapter)),
      '--concurrency',
      '8',
    ]);
    await untilJournalHas(results, BAD_INSTANCES, running);
    await kill(running);
    const before = await readJournalSnapshot(results);
    expect(await choose(results, SLOW, ...limited, ...remember(adapter))).toMatchObject({ code: 0 });
    expect(listRepeated(before, await readJournalSnapshot(results))).toEqual([]);
    expect(await readRows(results)).toEqual(expected);
  }
  expect(server.messages.some((message) => message.instance !== message.user)).toBe(true);
  const text = await readFile(join(inFolder('bad-day-server'), 'results.txt'), 'utf8');
  expect(text).toMatch(/answered 202 \(accepted\) for \d+ of 24 instances/);
});

test('what a memory says is no state of a model: its instances are missing until a retry', async () => {
  const instances: string[] = [];
  await using server = await MemoryServer.start(({ type, instance }) => {
    if (!instances.includes(instance)) instances.push(instance);
    const at = instances.indexOf(instance);
    if (at === 1 && type === 'query') return 'silence';
    if (at !== 0 || type !== 'add') return undefined;
    const message = "This model's maximum context length is 8192 tokens";
    return { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
  });
  const results = inFolder('failing');
  const options = [...remember(server.url), '--limit', '5', '--memory-timeout', '5s'];
  const ended = await choose(results, SLOW, ...options);
  expect(ended).toMatchObject({ code: 3 });
  expect(ended.stderr).toContain(`memory:${server.url} answered 400 to add: This model's maximum context`);
  const states = (await readRows(results)).map(
    (row) => `${row.state} ${row.missing_step} ${row.missing_kind}`,
  );
  expect(states.toSorted()).toEqual([
    ...Array.from({ length: 2 }, () => 'missing recall memory-failed'),
    ...Array.from({ length: 3 }, () => 'scored null null'),
  ]);
  const causes = (await readRows(results)).flatMap(({ missing_cause: cause }) => cause ?? []);
  expect(causes.toSorted()).toEqual([
    expect.stringMatching(/answered 400 to add.* It was tried 3 times\./),
    expect.stringMatching(
      /did not reply to query within 5 s\. This was its second timeout .*--memory-timeout 30m/,
    ),
  ]);

  server.fail = () => undefined;
  expect(await runCupid(['retry', results])).toMatchObject({ code: 0 });
  expect((await readRows(results)).map(({ state }) => state)).toEqual(
    Array.from({ length: 5 }, () => 'scored'),
  );
});

test('the template of the documentation gives a simulated model more than no history', async () => {
  const results = inFolder('template');
  const memory = ['--memory', `command:python3 ${EXAMPLES}/template.py`, '--context', 'memory,none'];
  expect(await choose(results, 'simulated:default', ...memory)).toMatchObject({ code: 0 });
  const rows = [...(await readResultRows(results)).values()];
  const countRight = (wanted: string) =>
    rows.filter(({ context, choice }) => context === wanted && choice === 'right').length;
  expect(countRight('memory')).toBeGreaterThan(countRight('none') + INSTANCES / 6);
  // Sessions have the same names in results as in messages.
  const named = rows.flatMap(({ memory_sessions, evidence_sessions }) => [
    ...(memory_sessions ?? []),
    ...(evidence_sessions ?? []),
  ]);
  expect(named.length).toBeGreaterThan(INSTANCES);
  expect(named.filter((name) => !/^s[1-9]\d*$/.test(name))).toEqual([]);
});

test('a memory that finds nothing is named in every place', async () => {
  await using server = await MemoryServer.start(({ type }) =>
    type === 'query' ? { body: { context: ' ' } } : undefined,
  );
  const results = inFolder('empty-contexts');
  const { code, stdout, stderr } = await choose(results, SLOW, ...remember(server.url), '--limit', '3');
  expect(code).toBe(0);
  const warning = `memory:${server.url} returned nothing for 3 of 3 instances`;
  for (const text of [stdout, stderr, await readFile(join(results, 'results.txt'), 'utf8')]) {
    expect(text).toContain(warning);
  }
});

test('a memory that cannot be used stops the command before a model is called', async () => {
  const model = inFolder('uncalled.mjs');
  await writeFile(model, RECORDER);
  await using server = await MemoryServer.start(() => ({ status: 404 }));
  for (const [adapter, message] of [
    [server.url, `memory:${server.url} answered 404 to reset`],
    ['command:no-such-program-x', 'memory:no-such-program-x could not be started'],
  ] as const) {
    const results = inFolder(`unusable-${message.length}`);
    const options = optionsFor(`module:${model}`, '--memory', adapter, '--context', 'full,memory');
    const ended = await runLoadedChecked(['eval', '--results-dir', results, ...options]);
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain(`The memory system cannot be used, so nothing was started: ${message}`);
    await expect(readFile(`${model}.log`)).rejects.toThrow('ENOENT');
  }
});

function remember(adapter: string): string[] {
  return ['--memory', adapter, '--context', 'memory'];
}

/** Fails about half of all messages, in every way that passes. */
function failOnABadDay(
  { type }: { readonly type: string },
  number: number,
): MemoryFault | 'drop' | undefined {
  if (number % 3 === 0) return 'drop';
  if (number % 7 === 0) return { status: 429 };
  if (number % 11 === 0) return { status: 429, headers: { 'retry-after-ms': '20' } };
  if (number % 13 === 0) return { status: 500 };
  if (number % 17 === 0) return { status: 200, body: { error: 'busy', retryAfterMs: 20 } };
  if (type === 'query') return undefined;
  return number % 2 === 0 ? { status: 204 } : { status: 202 };
}

/** A program that returns the last two sessions. It ends, prints stray lines and asks for time, each at some messages. */
const BAD_DAY = `
import { existsSync, writeFileSync } from 'node:fs';
const once = (name) => {
  const file = process.argv[1] + '.' + name;
  if (existsSync(file)) return false;
  writeFileSync(file, '');
  return true;
};
const users = new Map();
let number = 0;
process.stdin.setEncoding('utf8');
let rest = '';
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
function take({ type, user, session }) {
  number += 1;
  if (number === 40 && once('ended')) process.exit(1);
  if (number === 70 && once('stray')) console.log('loading: 50%');
  if (number === 90 && once('number')) console.log(42);
  if (number % 5 === 0) return reply({ error: 'busy', retryAfterMs: 5 });
  if (type === 'reset') users.set(user, new Map());
  if (type === 'add') {
    users.get(user).set(session.id, session.messages.map(({ content }) => content).join('\\u2028'));
  }
  if (type !== 'query') return reply(number % 2 === 0 ? null : {});
  const last = [...users.get(user)].slice(-2);
  reply({ context: last.map(([, text]) => text).join('\\n'), sessions: last.map(([id]) => id) });
}
function reply(value) {
  console.log(JSON.stringify(value));
}
`;

const SLOW = 'simulated:default?latency=50ms';

/** A model that writes down what it is asked, and answers by it. */
const RECORDER = `
import { appendFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
export default ({ system, messages }) => {
  const text = JSON.stringify([system, messages]);
  appendFileSync(new URL(import.meta.url + '.log'), text + '\\n');
  return '### Choice\\n\\n' + 'AB'[createHash('sha256').update(text).digest()[0] % 2];
};
`;

/** The example with BM25, which ends itself at its hundredth message. */
const DYING = `
import os, sys
sys.path.insert(0, ${JSON.stringify(EXAMPLES)})
died = __file__ + ".died"
read = sys.stdin

def lines():
    for count, line in enumerate(read):
        if count == 100 and not os.path.exists(died):
            open(died, "w").write("once")
            os.kill(os.getpid(), 9)
        yield line

sys.stdin = lines()
import bm25
`;

function optionsFor(model: string, ...options: readonly string[]): string[] {
  return ['--data', DATA, '--task', 'choice', '--model', model, ...options];
}

async function choose(results: string, ...options: readonly [string, ...string[]]) {
  return runLoaded(['eval', '--results-dir', results, ...optionsFor(...options)]);
}

/** Reads the rows without durations, which differ each time. */
async function readRows(results: string): Promise<EvaluationRow[]> {
  const rows = [...(await readResultRows(results)).values()];
  return rows.map((row) => ({
    ...row,
    memory_add_ms: null,
    memory_query_ms: null,
    memory_unfinished_messages: null,
  }));
}
