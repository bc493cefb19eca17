import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryFolder } from '../temporary-folder';
import { listRepeated, readJournalSnapshot } from './journal';
import { runLoaded } from './loaded-command';
import { hashResults, readResults, writeInstances } from './results';

const folder = createTemporaryFolder();
const DATA = join(folder, 'data.parquet');
const RESULTS = join(folder, 'results');
const FAIR = 'simulated:default';
const LENIENT = 'simulated:default?judge=lenient';
const HARSH = 'simulated:default?judge=harsh';
const EVALUATORS = [FAIR, LENIENT, HARSH];
const PERSONAS = 6;

beforeAll(async () => {
  await writeInstances(DATA, PERSONAS);
  expect(await evaluate(RESULTS, EVALUATORS, 4)).toMatchObject({ code: 0 });
});

test('a lenient and a harsh matcher and judge are distinguished', async () => {
  const stress = await readStress(RESULTS);
  expect(stress).toMatchObject({ n_requested: 4, n_personas: 4 });
  const errors = stress.evaluators.map(({ evaluator, evaluator_form: form, ...one }) => [
    `${form} ${evaluator}`,
    one.false_acceptance_rate?.share,
    one.false_rejection_rate?.share,
  ]);
  expect(errors.filter(([name]) => !String(name).endsWith(FAIR))).toEqual([
    [`evaluator ${LENIENT}`, 1, 0],
    [`evaluator ${HARSH}`, 0, 1],
    [`judge ${LENIENT}`, 1, 0],
    [`judge ${HARSH}`, 0, 1],
  ]);
  for (const [name, wrongAccepted, rightRejected] of errors) {
    if (!String(name).endsWith(FAIR)) continue;
    expect(wrongAccepted).toBeLessThan(0.5);
    expect(rightRejected).toBeLessThan(0.5);
  }
  // Every persona has every kind.
  for (const { kinds } of stress.evaluators) {
    expect(kinds.map(({ n_answers, n_missing, n_lacking }) => [n_answers, n_missing, n_lacking])).toEqual(
      kinds.map(() => [4, 0, 0]),
    );
  }
});

test('the same test asks nothing again, and one of more personas only what is new', async () => {
  const before = await hashResults(RESULTS);
  const known = await readJournalSnapshot(RESULTS);
  expect((await evaluate(RESULTS, EVALUATORS, 4)).stderr).toContain('is already finished');
  expect(await hashResults(RESULTS)).toEqual(before);

  expect(await rescore(RESULTS, PERSONAS + 1)).toMatchObject({ code: 0 });
  const grown = await readJournalSnapshot(RESULTS);
  expect(listRepeated(known, grown)).toEqual([]);
  // Five matches and one judgment for each of two more personas. The last one's other persona is the first.
  expect(grown.size - known.size).toBe(EVALUATORS.length * 2 * 6);
  const stress = await readStress(RESULTS);
  expect(stress).toMatchObject({ n_requested: PERSONAS + 1, n_personas: PERSONAS });
  const text = await readFile(join(RESULTS, 'results.txt'), 'utf8');
  expect(text).toContain('Personas: 6 of 7 requested, because the data have no more');
});

test('cupid retry asks again for what is missing', async () => {
  const results = join(folder, 'missing');
  await evaluate(results, ['simulated:default?refused=0.2'], 3);
  const missing = countMissing(await readStress(results));
  expect(missing).toBeGreaterThan(0);
  const known = await readJournalSnapshot(results);
  await runLoaded(['retry', results, '--trust']);
  expect(countMissing(await readStress(results))).toBeLessThan(missing);
  expect(listRepeated(known, await readJournalSnapshot(results))).toEqual([]);
});

function evaluate(results: string, evaluators: readonly string[], personas: number) {
  return runLoaded([
    'eval',
    `--results-dir=${results}`,
    `--data=${DATA}`,
    '--task=both',
    '--oracle-preference',
    '--model=simulated:default',
    '--evaluator',
    ...evaluators,
    `--stress=${personas}`,
  ]);
}

function rescore(results: string, personas: number) {
  return runLoaded(['eval', `--results-dir=${results}`, '--rescore', '--trust', `--stress=${personas}`]);
}

async function readStress(results: string) {
  const { stress } = (await readResults(results)).analyses;
  if (stress === undefined) throw new Error(`There is no stress test in ${results}.`);
  return stress;
}

function countMissing({ evaluators }: Awaited<ReturnType<typeof readStress>>): number {
  return evaluators.flatMap(({ kinds }) => kinds).reduce((sum, { n_missing: count }) => sum + count, 0);
}
