import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { EvaluationRow } from '../../schemas/evaluation/evaluation';
import type { Instance } from '../../schemas/dataset/instance';
import { renderLines } from '../unit/data/sets/instances';
import { synthesizeInstances } from '../unit/models/simulated/evaluation';
import { openSimulated } from '../unit/models/simulated/persona';
import { runCupid, startCupid, type Ended } from './command';
import { NOBODY } from '../stand-in/nobody';
import { createTemporaryFolder } from '../temporary-folder';
import { untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { untilSaid } from './processes';
import { expectNoStackTrace, expectRefusal, readFilesBelow } from './refusal';
import { readResultRows } from './results';

const scene = createTemporaryFolder();
const inScene = (name: string) => join(scene, name);
const WHO = ['--model', 'simulated:default', '--evaluator', 'simulated:default'];

let instances: Instance[];
let good: string;

beforeAll(async () => {
  instances = await synthesizeInstances(openSimulated(), 2);
  good = inScene('good.jsonl');
  writeFileSync(good, renderLines(instances));
});

// The other faults of rows: test/unit/data/readers/read.test.ts.
test('data that are not of CUPID’s form are reported by file, row and field, all at once (exit 2)', async () => {
  const [first, second] = instances;
  const file = inScene('faults.jsonl');
  const rows = [first, { ...second, persona_id: 7, prior_interactions: [] }, first];
  writeFileSync(file, `${renderLines(rows)}{"persona_id":"cut of\n`);
  await refused(['--data', file], 2, [
    `${file}, line 2, field persona_id: expected a text, found 7.`,
    `${file}, line 2, field prior_interactions: expected a list of at least 1 entry, found [].`,
    `${file}, line 3, fields persona_id and instance_type: "${first?.persona_id}" and "${first?.instance_type}" already occur together in ${file}, line 1.`,
    `${file}, line 4: `,
    'Fix the file or leave such rows out.',
  ]);
});

// The other messages about command lines and files: test/unit/cli/refused.test.ts.
test('a wrong option is reported with what was expected, and nothing is begun (exit 2)', () =>
  refusedAs(['eval', '--results-dir', inScene('refused'), '--data', good], 2, [
    '--model is missing',
    'for example --model openai:',
  ]));

test('the folder of refused commands takes the right one, as if nothing had been', async () => {
  const fixed = await evaluated('refused', ['--data', good, '--limit', '1', '--context', 'none']);
  expect(fixed).toMatchObject({ code: 0 });
  expect(fixed.stderr).toContain('Starting run');
  expect([...(await readResultRows(inScene('refused'))).values()].map(({ state }) => state)).toEqual([
    'scored',
  ]);
});

describe('a model of one’s own', () => {
  test('that is not there is reported before anything is begun (exit 1), and on a cluster refused (exit 2)', async () => {
    const none = `module:${inScene('none.mjs')}`;
    const who = ['--model', none, '--evaluator', 'simulated:default'];
    const command = ['eval', '--results-dir', inScene('module'), '--data', good, ...who];
    await refusedAs(command, 1, [
      `${none}: There is no file ${inScene('none.mjs')}`,
      'relative to the current directory',
    ]);
    const ended = await runLoaded(command, { TEMPORAL_ADDRESS: NOBODY });
    expectRefusal(ended, 2, [
      `${none}: a module or command runs on this machine only`,
      'Unset TEMPORAL_ADDRESS',
    ]);
    expect(readFilesBelow(inScene('module'))).toEqual(new Map());
  });

  test('that is no function stops the evaluation (exit 1), and another model is evaluated in the same folder', async () => {
    writeFileSync(inScene('five.mjs'), 'export default 5;\n');
    const few = ['--data', good, '--limit', '1', '--context', 'none', '--evaluator', 'simulated:default'];
    const command = ['eval', '--results-dir', inScene('own'), ...few];
    const stopped = await runLoaded([...command, '--model', `module:${inScene('five.mjs')}`]);
    expect(stopped).toMatchObject({ code: 1 });
    expect(stopped.stdout).toMatch(/module:five\.mjs +– +– +0 +0 +1$/m);
    expect(stopped.stderr).toContain('module:five.mjs has no default export that is a function');
    expectNoStackTrace(stopped);

    const other = await runLoaded([...command, '--model', 'simulated:default']);
    expect(other).toMatchObject({ code: 0 });
    expect(other.stderr).toContain('Removed from the results: inference by module:');
    const rows = [...(await readResultRows(inScene('own'))).values()];
    expect(rows.map(({ model: name, state }) => [name, state])).toEqual([['simulated:default', 'scored']]);

    // A model that fails by itself has given no answer to be judged by: its work is left open, and the reason is reported.
    writeFileSync(inScene('throws.mjs'), 'export default () => { throw new Error("Boom"); };\n');
    const throwing = await runLoaded([...command, '--model', `module:${inScene('throws.mjs')}`]);
    expect(throwing).toMatchObject({ code: 1 });
    expect(throwing.stdout).toMatch(/module:throws\.mjs +– +– +0 +0 +1$/m);
    expect(throwing.stderr).toContain('Boom');
    expectNoStackTrace(throwing);

    // Fixed, the same command does it: in a process of its own, since a module is loaded once.
    writeFileSync(
      inScene('throws.mjs'),
      `export default () => '### Most Likely Preference\\n\\nShort answers.';\n`,
    );
    const fixed = await runCupid([...command, '--model', `module:${inScene('throws.mjs')}`]);
    expect(fixed).toMatchObject({ code: 0 });
    expect(fixed.stdout).toMatch(/module:throws\.mjs +\S+ +– .* 1 +0$/m);
  });
});

test('a matcher that is not there is waited for and that is reported; Ctrl-C works, and the folder continues without it', async () => {
  const folder = inScene('matcher');
  const nowhere = `openai-compatible:kixlab/prefmatcher-7b@http://${NOBODY}/v1`;
  const few = ['--data', good, '--limit', '1', '--context', 'none', ...WHO];
  const command = ['eval', '--results-dir', folder, ...few];
  const waiting = startCupid([...command, '--use-matcher', '--matcher', nowhere]);
  // An inference, and what it was taken apart into.
  await untilJournalHas(folder, 2, waiting);
  await untilSaid(waiting, 'The model cannot be reached. Calls are retried until it can.');
  waiting.child.kill('SIGINT');
  const interrupted = await waiting.ended;
  expect(interrupted).toMatchObject({ code: 130, stdout: '' });
  expect(interrupted.stderr).toContain('Continue with the same command');
  expectNoStackTrace(interrupted);

  const without = await runLoaded(command);
  expect(without).toMatchObject({ code: 0 });
  const rows = [...(await readResultRows(folder)).values()];
  expect(rows.map(({ evaluator_form, state }) => [evaluator_form, state])).toEqual([['evaluator', 'scored']]);
});

describe('a score that is missing is nowhere a number', () => {
  test('when the evaluator never answers in its form: all counts, no averages (exit 3)', async () => {
    const ended = await evaluated(
      'malformed',
      ['--data', good, '--task', 'both'],
      'simulated:default?malformed=1',
    );
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.stdout).toMatch(/simulated:default +– +– +0 +6$/m);
    expect(ended.stdout).toContain(
      'Missing (step decompose, bad-answers): 6 scores. Missing scores are not part of any number',
    );
    expect(ended.stdout).toContain(
      'Missing (step judge, bad-answers): 6 scores. Missing scores are not part of any number',
    );
    // The tables have dashes where numbers would be.
    expect(tableNumbers(ended.stdout)).toEqual([]);
    const rows = [...(await readResultRows(inScene('malformed'))).values()];
    expect(rows.map(scoresOf)).toEqual(rows.map(() => NO_SCORES));
    const { cells, analyses } = resultsIn('malformed');
    expect(cells.map(({ all }) => all.counts)).toEqual(
      cells.map(() => expect.objectContaining({ scored: 0, context_length: 0, missing: 6, open: 0 })),
    );
    for (const { all, by_type } of cells) {
      for (const group of [all, ...Object.values(by_type)]) expect(numbersIn(averagesOf(group))).toEqual([]);
    }
    // Positions and lengths are of the data; what the model came to there is not known.
    for (const name of ['f1', 'precision', 'recall', 'score', 'average_score', 'mean_score', 'r', 'rho']) {
      expect(valuesNamed(name, analyses).filter((value) => value !== null)).toEqual([]);
    }
  });
});

describe('results of several commands do not get into each other’s way', () => {
  test('scored again, they are what they were, with what was studied; each decomposer has files of its own', async () => {
    const few = ['--data', good, '--task', 'both', '--context', 'none', '--limit', '2'];
    expect(await evaluated('again', [...few, '--judge-repeats', '2'])).toMatchObject({ code: 0 });
    const before = readFilesBelow(inScene('again'));
    expect(await runLoaded(['eval', '--results-dir', inScene('again'), '--rescore'])).toMatchObject({
      code: 0,
    });
    const after = readFilesBelow(inScene('again'));
    // The one has its keys in another order; the other may get a line when the command is done.
    for (const files of [before, after])
      for (const file of ['run.json', join('.cupid', 'worker.log')]) files.delete(file);
    expect(after).toEqual(before);
    expect(valuesNamed('judge_reliability', resultsIn('again').analyses)).toHaveLength(1);

    const other = ['--decomposer', 'simulated:default?latency=1ms'];
    const again = ['eval', `--results-dir=${inScene('again')}`, '--rescore', '--evaluator=simulated:default'];
    expect(await runLoaded([...again, '--task', 'inference', ...other])).toMatchObject({ code: 0 });
    const rows = [...(await readResultRows(inScene('again'))).values()].filter(
      ({ task }) => task === 'inference',
    );
    const files = [...readFilesBelow(inScene('again')).keys()].filter((file) =>
      /^instances.*\.json$/.test(file),
    );
    const written = files.map((file) => readFileSync(join(inScene('again'), file), 'utf8'));
    expect(rows).toHaveLength(4);
    for (const { inferred_checklist } of rows) {
      expect(
        written.filter((text) => text.includes(`"checklist": ${indented(inferred_checklist)}`)),
      ).not.toEqual([]);
    }
    expect(files.filter((file) => file.includes('decomposed by'))).toHaveLength(4);
  });
});

async function refused(options: readonly string[], code: number, says: readonly string[]): Promise<void> {
  await refusedAs(['eval', '--results-dir', inScene('refused'), ...WHO, ...options], code, says);
}

/** Gives this command, and expects this refusal and that nothing was begun in its folder. */
async function refusedAs(command: readonly string[], code: number, says: readonly string[]): Promise<void> {
  const ended = await runLoaded(command);
  expectRefusal(ended, code, says);
  const [, , folder = ''] = command;
  expect(readFilesBelow(folder)).toEqual(new Map());
}

async function evaluated(
  name: string,
  options: readonly string[],
  evaluator = 'simulated:default',
): Promise<Ended> {
  const who = ['--model', 'simulated:default', '--evaluator', evaluator];
  return runLoaded(['eval', '--results-dir', inScene(name), ...who, ...options]);
}

const groupSchema = z.object({
  counts: z.record(z.string(), z.unknown()),
  inference: z.looseObject({ n_instances: z.number(), f1: z.number().nullable() }).nullable(),
  generation: z.looseObject({ n_instances: z.number(), average_score: z.number().nullable() }).nullable(),
});
const resultsSchema = z.object({
  cells: z.array(
    z.object({
      task: z.string(),
      model: z.string(),
      context: z.string(),
      all: groupSchema,
      by_type: z.record(z.string(), groupSchema),
    }),
  ),
  analyses: z.unknown(),
});

function resultsIn(name: string): z.infer<typeof resultsSchema> {
  return resultsSchema.parse(JSON.parse(readFileSync(join(inScene(name), 'results.json'), 'utf8')));
}

/** Returns a group's averages, without its numbers of instances. */
function averagesOf({ inference, generation }: z.infer<typeof groupSchema>): unknown {
  return { inference: { ...inference, n_instances: null }, generation: { ...generation, n_instances: null } };
}

/** Lists all numbers in a value, at any depth. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** Lists all values under this name, at any depth. */
function valuesNamed(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === name ? [inner] : valuesNamed(name, inner)));
}

/** Lists the numbers beneath each model's name in the table, without dashes. */
function tableNumbers(stdout: string): string[] {
  const lines = stdout.split('\n');
  return lines.flatMap((_, at) =>
    / count, \d+ missing/.test(lines[at - 1] ?? '') ? ((lines[at] ?? '').match(/\d\S*/g) ?? []) : [],
  );
}

function scoresOf({ score, precision, recall, f1, n_predicted_matched, n_true_matched }: EvaluationRow) {
  return { score, precision, recall, f1, n_predicted_matched, n_true_matched };
}

const NO_SCORES: ReturnType<typeof scoresOf> = {
  score: null,
  precision: null,
  recall: null,
  f1: null,
  n_predicted_matched: null,
  n_true_matched: null,
};

/** Formats a list as in an instance's file, three levels deep. */
function indented(list: readonly string[] | null): string {
  return JSON.stringify(list, null, 2).replaceAll('\n', '\n      ');
}
