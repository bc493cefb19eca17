import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { STRESS_KINDS } from '../../schemas/evaluation/stress';
import { createTemporaryFolder } from '../temporary-folder';
import { listRepeated, readJournalSnapshot } from './journal';
import { runLoaded } from './loaded-command';
import { hashResults, writeInstances } from './results';

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
  const { stress } = await readAnalyses(RESULTS);
  expect(stress).toMatchObject({ n_requested: 4, n_personas: 4 });
  const errors = stress.evaluators.map(({ evaluator, evaluator_form: form, ...one }) => [
    `${form} ${evaluator}`,
    one.wrong_accepted?.share,
    one.right_rejected?.share,
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
    expect(kinds.map(({ n, n_missing, n_lacking }) => [n, n_missing, n_lacking])).toEqual(
      kinds.map(() => [4, 0, 0]),
    );
  }
});

test('the errors stand beside the results of each matcher and judge, and in a table of their own', async () => {
  const text = await readFile(join(RESULTS, 'results.txt'), 'utf8');
  const lines = text.split('\n');
  for (const [evaluator, wrong, right] of [
    [LENIENT, '100.0', '0.0'],
    [HARSH, '0.0', '100.0'],
  ]) {
    for (const by of ['matched by', 'judged by']) {
      expect(lines[lines.indexOf(`${by} ${evaluator}`) + 1]).toMatch(
        new RegExp(
          `^stress test: wrong answers accepted ${wrong} % \\(.*\\), right ones rejected ${right} % \\(`,
        ),
      );
    }
  }
  expect(text).toContain('Matchers and judges on answers of known truth');
  const { cells } = resultsSchema.parse(JSON.parse(await readFile(join(RESULTS, 'results.json'), 'utf8')));
  expect(cells.filter(({ evaluator_errors: errors }) => errors === undefined)).toEqual([]);
});

test('the same test asks nothing again, and one of more personas only what is new', async () => {
  const before = await hashResults(RESULTS);
  const known = await readJournalSnapshot(RESULTS);
  expect((await evaluate(RESULTS, EVALUATORS, 4)).stderr).toContain('is already finished');
  expect(await hashResults(RESULTS)).toEqual(before);

  expect(await rescore(RESULTS, PERSONAS + 1)).toMatchObject({ code: 0 });
  const grown = await readJournalSnapshot(RESULTS);
  expect(listRepeated(known, grown)).toEqual([]);
  // Five matches and one judgement for each of two more personas. The last one's other persona is the first.
  expect(grown.size - known.size).toBe(EVALUATORS.length * 2 * 6);
  const { stress } = await readAnalyses(RESULTS);
  expect(stress).toMatchObject({ n_requested: PERSONAS + 1, n_personas: PERSONAS });
  const text = await readFile(join(RESULTS, 'results.txt'), 'utf8');
  expect(text).toContain('Personas: 6 of 7 requested, because the data have no more');
});

test('cupid retry asks again for what is missing', async () => {
  const results = join(folder, 'missing');
  await evaluate(results, ['simulated:default?refused=0.2'], 3);
  const missing = countMissing(await readAnalyses(results));
  expect(missing).toBeGreaterThan(0);
  const known = await readJournalSnapshot(results);
  await runLoaded(['retry', results, '--trust']);
  expect(countMissing(await readAnalyses(results))).toBeLessThan(missing);
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

const shareSchema = z.object({ share: z.number() }).nullable();
const errorsSchema = z.object({ wrong_accepted: shareSchema, right_rejected: shareSchema });
const resultsSchema = z.object({
  cells: z.array(z.object({ evaluator_errors: errorsSchema.optional() })),
  analyses: z.object({
    stress: z.object({
      n_requested: z.number(),
      n_personas: z.number(),
      evaluators: z.array(
        errorsSchema.extend({
          evaluator: z.string(),
          evaluator_form: z.string(),
          kinds: z.array(
            z.object({
              kind: z.enum(STRESS_KINDS),
              n: z.number(),
              n_missing: z.number(),
              n_lacking: z.number(),
            }),
          ),
        }),
      ),
    }),
  }),
});

async function readAnalyses(results: string) {
  return resultsSchema.parse(JSON.parse(await readFile(join(results, 'results.json'), 'utf8'))).analyses;
}

function countMissing({ stress }: Awaited<ReturnType<typeof readAnalyses>>): number {
  return stress.evaluators
    .flatMap(({ kinds }) => kinds)
    .reduce((sum, { n_missing: count }) => sum + count, 0);
}
