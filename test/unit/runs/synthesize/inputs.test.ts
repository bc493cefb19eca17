import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  growRun,
  listDifferences,
  planRun,
  readRunRequest,
  type RunMaterial,
} from '../../../../runs/synthesize/inputs';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const personas = writePersonas('three.jsonl', ['Ana', 'Bo', 'Cem']);

const TAXONOMY = {
  factor_types: ['Person', 'Place'],
  task_types: ['Drafting', 'Checking'],
  preference_types: ['Voice', 'Depth'],
};

test('ready descriptions are the run’s personas, all of the file kept, and a run without the file goes on with them', async () => {
  const plan = await planRun(await request({ personas }, { nPersonas: 2 }));
  expect(plan.inputs.seeds).toMatchObject({ origin: 'personas', source: personas, count: 3 });
  expect(plan.templates).toMatchObject([
    { id: 1, description: 'Ana bakes.', occupation: 'Baker', seed: '' },
    { id: 2, description: 'Bo bakes.' },
    { id: 3, description: 'Cem bakes.' },
  ]);
  const again = await readRunRequest(settingsOf({ nPersonas: 3 }), {}, plan);
  expect(listDifferences(plan, again)).toEqual([]);
  const grown = await growRun(plan, again);
  expect(grown.templates).toEqual(plan.templates);
  expect(grown.inputs.growth).toEqual([2, 3]);
});

test('a run keeps what the card beside the file of its personas says, whatever becomes of the card', async () => {
  const place = join(folder, 'carded');
  mkdirSync(place);
  const file = writePersonas('carded/people.jsonl', ['Ana', 'Bo']);
  writeFileSync(join(place, 'README.md'), '---\nlicense: mit\ntags: [simulated]\n---\n');
  const plan = await planRun(await request({ personas: file }, { nPersonas: 1 }));
  expect(plan.inputs.seeds).toMatchObject({ simulated: true, license: 'mit' });
  rmSync(place, { recursive: true });
  const again = await readRunRequest(settingsOf({ nPersonas: 2 }), {}, plan);
  expect(again.seeds).toMatchObject({ simulated: true, license: 'mit' });
  expect((await growRun(plan, again)).inputs.seeds).toEqual(plan.inputs.seeds);
});

test('more personas than the file describes are an error, of a new run and of one that grows', async () => {
  const message = `${personas} describes 3 personas, but 4 were requested. Use --n-personas 3, or start`;
  await expect(planRun(await request({ personas }, { nPersonas: 4 }))).rejects.toThrow(message);
  const plan = await planRun(await request({ personas }, { nPersonas: 3 }));
  const more = await readRunRequest(settingsOf({ nPersonas: 4 }), {}, plan);
  await expect(growRun(plan, more)).rejects.toThrow(message);
});

test('other descriptions, and seeds in their place, make another run', async () => {
  const plan = await planRun(await request({ personas }, { nPersonas: 2 }));
  const others = writePersonas('others.jsonl', ['Ana', 'Bo', 'Dee']);
  expect(listDifferences(plan, await request({ personas: others }, { nPersonas: 2 }))).toEqual([
    `personas: ${personas} before, ${others} now, with other descriptions`,
  ]);
  const seeded = await planRun(await request({}, { nPersonas: 2 }));
  expect(listDifferences(seeded, await request({ personas }, { nPersonas: 2 }))).toEqual([
    `personas: built-in before, ${personas} now, with other descriptions`,
  ]);
});

test('a run keeps its taxonomy: it holds where none is named, and another one makes another run', async () => {
  const plan = await planRun(await request({}, { nPersonas: 2, taxonomy: TAXONOMY }));
  const prompt = plan.prompts.prompts['synthesis/context_factors_generator']?.system_prompt;
  expect(prompt).toContain('\n- Person\n- Place\n');
  const again = await readRunRequest(settingsOf({ nPersonas: 2 }), {}, plan);
  expect(listDifferences(plan, again)).toEqual([]);
  expect(again.prompts.hash).toBe(plan.prompts.hash);
  const other = { ...TAXONOMY, task_types: ['Drafting', 'Planning'] };
  expect(listDifferences(plan, await request({}, { nPersonas: 2, taxonomy: other }))).toEqual([
    'taxonomy: factor_types Person, Place; task_types Drafting, Checking; preference_types Voice, Depth before, ' +
      'factor_types Person, Place; task_types Drafting, Planning; preference_types Voice, Depth now',
  ]);
  const usual = await planRun(await request({}, { nPersonas: 2 }));
  const [difference] = listDifferences(usual, await request({}, { nPersonas: 2, taxonomy: TAXONOMY }));
  expect(difference).toMatch(/^taxonomy: the paper's types before, factor_types Person, Place; /);
});

function writePersonas(name: string, names: readonly string[]): string {
  const file = join(folder, name);
  const rows = names.map((one) => JSON.stringify({ description: `${one} bakes.`, occupation: 'Baker' }));
  writeFileSync(file, rows.join('\n'));
  return file;
}

function settingsOf(changes: object) {
  const model = 'simulated:default';
  return synthesisSettingsSchema.parse({
    models: { synthesis: model, user: model, assistant: model },
    quality: 'strict',
    ...changes,
  });
}

async function request(files: RunMaterial, changes: object) {
  return readRunRequest(settingsOf(changes), files);
}
