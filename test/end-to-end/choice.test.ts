import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupBy } from '../../rules/group-by';
import { INSTANCE_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { createTemporaryFolder } from '../temporary-folder';
import { synthesizeInstances } from '../unit/models/simulated/evaluation';
import { openSimulated } from '../unit/models/simulated/persona';
import { runLoaded } from './loaded-command';
import { hashResults, readResultRows, readResults, writeInstances } from './results';
import { ScriptedServer } from './scripted-server';

const PERSONAS = 4;
const MODELS = ['none', 'first', 'last', 'all'].map((reads) => `simulated:default?reads=${reads}`);

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');
const RESULTS = inFolder('results');

beforeAll(async () => {
  const instances = await writeInstances(DATA, PERSONAS);
  await writeParquet(
    inFolder('changing.parquet'),
    INSTANCE_COLUMNS,
    instances.filter(({ instance_type }) => instance_type === 'changing'),
  );
  expect(await choose(RESULTS, ...MODELS)).toMatchObject({ code: 0 });
});

test('models are distinguished by what they read: paired accuracy is 0 without the history', async () => {
  const { cells, evaluators } = await readResults(RESULTS);
  expect(evaluators).toEqual([]);
  const byModel = new Map(cells.map((cell) => [cell.model, cell]));
  const [none, first, , all] = MODELS.map((model) => byModel.get(model));
  expect(none?.all.choice).toMatchObject({ paired_accuracy: 0, n_pairs: PERSONAS, chance: 0.25 });
  // Some dialogues do not reveal the whole preference.
  expect(all?.all.choice?.paired_accuracy).toBeGreaterThan(0.5);
  // It knows the preference before the change only.
  expect(first?.by_type.consistent?.choice).toMatchObject({ accuracy: 1 });
  expect(first?.by_type.changing?.choice).toMatchObject({ accuracy: 0, errors: { stale: 1, other: 0 } });
});

test('every simulated reader answers both rows of a pair alike without the history, which is shown beside chance', async () => {
  const results = inFolder('blind');
  const readers = ['simulated:default', 'simulated:careful', 'simulated:hasty'];
  expect(await choose(results, ...readers, '--context', 'full', 'none')).toMatchObject({ code: 0 });
  const rows = [...(await readResultRows(results)).values()].filter(({ context }) => context === 'none');
  const pairs = [...groupBy(rows, ({ model, persona_id }) => `${model} ${persona_id}`).values()];
  expect(pairs).toHaveLength(readers.length * PERSONAS);
  for (const pair of pairs) expect(new Set(pair.map(({ chosen_option }) => chosen_option)).size).toBe(1);
  const text = await readFile(join(results, 'results.txt'), 'utf8');
  expect(text).toMatch(
    /over 4 personas, chance 6\.3 %, and 0 for a model .*Context none: .*; paired accuracy 0\.0 % .* over 4 personas\./s,
  );
});

test('the rows of a persona have the same options in the same order, and different right ones in a pair', async () => {
  const rows = [...(await readResultRows(RESULTS)).values()];
  const personas = groupBy(rows, ({ persona_id }) => persona_id);
  expect(personas.size).toBe(PERSONAS);
  for (const own of personas.values()) {
    expect(new Set(own.map(({ options }) => JSON.stringify(options))).size).toBe(1);
    const right = (type: string) => own.find(({ instance_type }) => instance_type === type)?.true_option;
    expect(right('contrastive')).toBe(right('consistent'));
    expect(right('changing')).not.toBe(right('consistent'));
    for (const { evaluator, evaluator_form, n_options } of own)
      expect({ evaluator, evaluator_form, n_options }).toEqual({
        evaluator: 'none',
        evaluator_form: 'letter',
        n_options: 4,
      });
  }
});

test('batches give the same bytes', async () => {
  const repaired = 'simulated:default?malformed=0.2';
  const once = inFolder('once');
  expect(await choose(once, repaired)).toMatchObject({ code: 0 });
  const batches = inFolder('batches');
  expect(await choose(batches, repaired, '--batch')).toMatchObject({ code: 0 });
  expect(await hashResults(batches)).toEqual(await hashResults(once));
});

test('without the other rows of a persona there are fewer options and no pair; a comparison shows that guesses are easier', async () => {
  const results = inFolder('changing');
  const args = ['--data', inFolder('changing.parquet'), '--compare', RESULTS];
  expect(await choose(results, MODELS[3] ?? '', ...args)).toMatchObject({ code: 0 });
  const { cells, analyses } = await readResults(results);
  expect(cells[0]?.all.choice).toMatchObject({ n_pairs: 0, paired_accuracy: null, chance: 0.5 });
  expect(analyses.data_sets).toEqual([expect.objectContaining({ other_data: DATA })]);
  expect(analyses.shortcuts?.map(({ guesses }) => guesses.longest?.chance)).toEqual([0.5, 0.25]);
  expect(await readFile(join(results, 'results.txt'), 'utf8')).toMatch(
    /^the longest option .* 50\.0 .* 25\.0$/m,
  );
});

test('a choice among too few preferences is missing, and says why', async () => {
  const lonely = inFolder('lonely.parquet');
  const instances = await synthesizeInstances(openSimulated(), 1);
  await writeParquet(
    lonely,
    INSTANCE_COLUMNS,
    instances.slice(0, 1).map((instance) => ({
      ...instance,
      prior_interactions: instance.prior_interactions.filter(
        ({ context_factor }) => context_factor === instance.current_context_factor,
      ),
    })),
  );
  const ended = await choose(inFolder('lonely'), MODELS[3] ?? '', '--data', lonely);
  expect(ended).toMatchObject({ code: 3 });
  expect(ended.stdout).toContain('Missing: 1 score, 1 at step choose, no-options.');
  const [row] = (await readResultRows(inFolder('lonely'))).values();
  expect(row?.missing_cause).toContain('too few different preferences');
});

test('a module chooses, and an evaluation of before gets choices as further columns', async () => {
  const results = inFolder('grown');
  const judged = ['--model', 'simulated:default', '--evaluator', 'simulated:default', '--data', DATA];
  const options = ['eval', '--results-dir', results, '--limit', '1'];
  expect(await runLoaded([...options, ...judged])).toMatchObject({ code: 0 });
  const file = inFolder('letter.mjs');
  await writeFile(file, "export default () => '### Choice\\n\\nA';\n");
  const chooser = ['--model', `module:${file}`, '--task', 'choice'];
  expect(await runLoaded([...options, ...chooser])).toMatchObject({ code: 0 });
  const { cells } = await readResults(results);
  expect(cells.map(({ task }) => task)).toEqual(['inference', 'choice']);
  const rows = [...(await readResultRows(results)).values()];
  expect(rows.find(({ task }) => task === 'choice')?.chosen_option).toBe('A');
});

/** Answers that reject A: none of them is read as A. */
const REJECTED = [
  'A) was her earlier wish, so the answer is B.',
  'A - outdated since session 5\nThe right one is B',
  'A: no, session 3 contradicts it.',
  '### Choice\n\nA\n\nWait, B fits better.',
  '### Choice\n\nA. Rejected because it is stale.',
];

/** Answers that name B in other forms than the prompt asks for. */
const CLEAR = [
  'B, because it is newer',
  '$\\boxed{\\textbf{B}}$',
  'Antwort: B',
  '{"choice":"B"}',
  'I choose B.',
];

test('an answer that rejects its letter is asked again, and a clear one is read as it is written', async () => {
  let answers = 0;
  await using server = await ScriptedServer.start(({ model, messages }) => {
    const forms = model === 'rejects' ? REJECTED : CLEAR;
    const isFirst = messages.filter(({ role }) => role === 'user').length === 1;
    return isFirst ? (forms[answers++ % forms.length] ?? '') : '### Choice\n\nB';
  });
  for (const [model, calls] of [
    ['rejects', 2],
    ['clear', 1],
  ] as const) {
    const results = inFolder(model);
    const before = server.asked.length;
    expect(await choose(results, server.spec(model))).toMatchObject({ code: 0 });
    const rows = [...(await readResultRows(results)).values()];
    expect(rows.map(({ chosen_option }) => chosen_option)).toEqual(rows.map(() => 'B'));
    expect(server.asked.length - before).toBe(calls * rows.length);
  }
  expect(server.problems).toEqual([]);
});

async function choose(results: string, ...options: readonly string[]) {
  const choice = ['--data', DATA, '--task', 'choice', '--model', ...options];
  return runLoaded(['eval', '--results-dir', results, ...choice]);
}
