import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { getSplit } from '../../data/sets/persona-split';
import { createTemporaryFolder } from '../temporary-folder';
import type { Ended } from './command';
import { listRepeated, readJournalSnapshot } from './journal';
import { runLoaded } from './loaded-command';
import { readResultRows, writeInstances } from './results';
import { readRows } from './tables';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');
let personas: string[] = [];
let split: string;
let ofSplit: string[];

beforeAll(async () => {
  const instances = await writeInstances(DATA, 5);
  personas = [...new Set(instances.map(({ persona_id: id }) => id))];
  split = getSplit(personas[0] ?? '');
  ofSplit = personas.filter((id) => getSplit(id) === split);
  expect(ofSplit.length).toBeLessThan(personas.length);
});

function writeList(name: string, ids: readonly string[]): string {
  writeFileSync(inFolder(name), ids.join('\n'));
  return `--where-persona=${inFolder(name)}`;
}

async function evaluate(results: string, ...options: readonly string[]): Promise<Ended> {
  const command = ['eval', `--data=${DATA}`, `--results-dir=${results}`, '--task=choice'];
  return runLoaded([...command, '--model=simulated:default', ...options]);
}

describe('an evaluation', () => {
  const RESULTS = inFolder('results');
  let shown: readonly string[] = [];
  /** Repeats the command and checks whose instances are in the results, what is said of those left out, and that nothing was asked twice. */
  async function expectRows(expected: readonly string[], ...options: readonly string[]): Promise<number> {
    const before = await readJournalSnapshot(RESULTS);
    const ended = await evaluate(RESULTS, ...options);
    expect(ended).toMatchObject({ code: 0 });
    const hidden = shown.filter((id) => !expected.includes(id)).length;
    const [, count] = /Left out of the results: (\d+) instances of choice by/.exec(ended.stderr) ?? [];
    expect(count).toBe(hidden === 0 ? undefined : `${3 * hidden}`);
    shown = expected;
    const after = await readJournalSnapshot(RESULTS);
    expect(listRepeated(before, after)).toEqual([]);
    const rows = [...(await readResultRows(RESULTS)).values()];
    expect(rows.map((row) => row.persona_id)).toEqual(expected.flatMap((id) => [id, id, id]));
    return after.size - before.size;
  }

  test('grows from a split by a list to all rows, and asks nothing twice', async () => {
    expect(await expectRows(ofSplit, `--split=${split}`)).toBe(3 * ofSplit.length);
    const others = personas.filter((id) => !ofSplit.includes(id)).slice(0, 1);
    const list = writeList('more.txt', [...others, ...ofSplit]);
    const both = personas.filter((id) => ofSplit.includes(id) || others.includes(id));
    expect(await expectRows(both, list)).toBe(3);
    expect(await expectRows(ofSplit, list, `--split=${split}`)).toBe(0);
    // The list is kept with the evaluation.
    writeFileSync(inFolder('more.txt'), '');
    expect(await runLoaded(['eval', `--results-dir=${RESULTS}`, '--rescore'])).toMatchObject({ code: 0 });
    expect(await expectRows(personas)).toBe(3 * (personas.length - both.length));
  });

  test('without such options stores none', async () => {
    const results = inFolder('plain');
    expect(await evaluate(results, '--limit=1')).toMatchObject({ code: 0 });
    const text = readFileSync(join(results, 'run.json'), 'utf8');
    expect(text).toMatch(/"selection": ?\{\s*"limit": ?1,\s*"types": ?\[[^\]]*\]\s*\}/);
    expect(text).not.toContain('lists');
  });

  test('of a persona that the data lack is refused before anything is asked, in a new folder and in an old one', async () => {
    const list = writeList('unknown.txt', [personas[0] ?? '', '9+other']);
    for (const results of [inFolder('new'), RESULTS]) {
      const before = await readJournalSnapshot(results);
      const { code, stderr } = await evaluate(results, list);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`unknown.txt, line 2: ${DATA} has no persona "9+other".`),
      ]);
      expect(await readJournalSnapshot(results)).toEqual(before);
    }
    expect(existsSync(join(inFolder('new'), 'run.json'))).toBe(false);
  });
});

function buildRows(ids: readonly string[]): object[] {
  return ids.flatMap((persona_id) => Array.from({ length: 3 }, () => ({ persona_id })));
}

test('a verification grows from a list to all personas, and asks nothing twice', async () => {
  const results = inFolder('verification');
  const verify = async (...options: readonly string[]) => {
    const before = await readJournalSnapshot(results);
    const command = ['verify', DATA, `--results-dir=${results}`, '--model=simulated:default', ...options];
    expect((await runLoaded(command)).code).not.toBe(1);
    expect(listRepeated(before, await readJournalSnapshot(results))).toEqual([]);
    return readRows(z.object({ persona_id: z.string() }), join(results, 'verification.parquet'));
  };
  const chosen = personas.slice(1, 3);
  expect(await verify(writeList('verified.txt', chosen))).toEqual(buildRows(chosen));
  expect(await verify()).toEqual(buildRows(personas));
  // Verdicts on personas outside of the split stay in the results.
  expect(await verify(`--split=${split}`)).toEqual(buildRows(personas));
});
