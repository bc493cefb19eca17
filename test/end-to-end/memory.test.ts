import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EvaluationRow } from '../../schemas/evaluation/evaluation';
import { groupBy } from '../../rules/group-by';
import { createTemporaryFolder } from '../temporary-folder';
import { runCupid } from './command';
import { listRepeated, readJournalSnapshot, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, startEval, kill } from './processes';
import { readResultRows, writeInstances } from './results';

const PERSONAS = 20;
const INSTANCES = 3 * PERSONAS;
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

test('an error of the memory is named and makes no score; the run goes on when it is fixed', async () => {
  const broken = inFolder('broken.mjs');
  const results = inFolder('broken');
  const options = ['--memory', `module:${broken}`, '--context', 'memory', '--limit', '3'];
  await writeFile(broken, "export default ({ type }) => (type === 'query' ? { error: 'no index' } : {});\n");
  const ended = await choose(results, SLOW, ...options);
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toContain('memory:broken.mjs failed at query: no index');
  expect((await readRows(results)).map(({ state }) => state)).toEqual(['open', 'open', 'open']);

  await writeFile(
    broken,
    "export default ({ type }) => (type === 'query' ? { context: 'Nothing.' } : {});\n",
  );
  // Another process, because Node.js keeps a loaded file.
  const again = ['eval', '--results-dir', results, ...optionsFor(SLOW, ...options)];
  expect(await runCupid(again)).toMatchObject({ code: 0 });
  expect((await readRows(results)).map(({ state, memory_sessions }) => [state, memory_sessions])).toEqual(
    Array.from({ length: 3 }, () => ['scored', null]),
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
  return rows.map((row) => ({ ...row, memory_add_ms: null, memory_query_ms: null }));
}
