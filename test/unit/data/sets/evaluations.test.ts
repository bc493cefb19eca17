import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEvaluations } from '../../../../data/sets/evaluations';
import type { EvaluationResults } from '../../../../schemas/evaluation/results';
import { createEmptiedFolder } from '../../../temporary-folder';
import { buildFullResults } from '../../evaluation-results';

const folder = createEmptiedFolder();
const FULL = buildFullResults();
const DATA = {
  argument: join(folder, 'CUPID-Unverified'),
  source: 'out/CUPID-Unverified/test.parquet',
  files: [],
  sha256: FULL.data.sha256,
  simulated: true,
  canary: undefined,
};

function store(name: string, results: Partial<EvaluationResults>): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'results.json'), JSON.stringify({ ...FULL, ...results }));
}

const modelsOf = async (data: Partial<typeof DATA>) =>
  (await findEvaluations({ ...DATA, ...data })).flatMap(({ models }) => models);

test('the evaluations of this data in its run folder are found, by the names of their folders', async () => {
  mkdirSync(join(folder, 'CUPID-Unverified'));
  store('results-b', { models: ['b'] });
  store('results-a', { models: ['a'] });
  store('of-other-data', { data: { ...FULL.data, sha256: 'cd'.repeat(32) } });
  expect(await modelsOf({})).toEqual(['a', 'b']);
  expect(await modelsOf({ sha256: 'ef'.repeat(32) })).toEqual([]);
  // Answers of simulated models say nothing about real data.
  expect(await modelsOf({ simulated: false })).toEqual([]);
  store('real', { models: ['c'], simulated: false });
  expect(await modelsOf({ simulated: false })).toEqual(['c']);
});

test('named results come first, wherever they are and once; those of other data are an error', async () => {
  store('results', { models: ['in the run'] });
  mkdirSync(join(folder, 'deeper'));
  store('deeper/results', { models: ['named'] });
  const [inRun, deeper] = ['results', 'deeper/results'].map((name) => join(folder, name));
  const find = async (...named: readonly string[]) =>
    (await findEvaluations(DATA, named)).flatMap(({ models }) => models);
  expect(await find()).toEqual(['in the run']);
  expect(await find(deeper ?? '')).toEqual(['named', 'in the run']);
  expect(await find(inRun ?? '')).toEqual(['in the run']);
  await expect(find(folder)).rejects.toThrow(`${folder} has no results.json, so the card cannot use it.`);
  store('of-other-data', { data: { ...FULL.data, sha256: 'cd'.repeat(32) } });
  await expect(find(join(folder, 'of-other-data'))).rejects.toThrow(/has results of other data/);
  await expect(findEvaluations({ ...DATA, simulated: false }, [inRun ?? ''])).rejects.toThrow(
    /has results of simulated models, of real data/,
  );
});

test('data of the Hub, or of a file, have no run folder', async () => {
  expect(await findEvaluations({ ...DATA, argument: 'me/my-cupid' })).toEqual([]);
});
