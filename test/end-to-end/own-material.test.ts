import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../temporary-folder';
import { hashDataSets, startCupid } from './command';
import { listRepeated, readJournalSnapshot, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { kill } from './processes';
import { readRecords } from './outputs';

const folder = createTemporaryFolder();
const personas = join(folder, 'people.csv');
const taxonomy = join(folder, 'types.yaml');

const PEOPLE = [
  [
    'Night dispatcher',
    'Lena Okoro, 41, she/her, is a night dispatcher. Her colleagues call her "the clock".',
  ],
  ['Beekeeper', 'Tom Ruiz, 58, he/him, keeps 60 hives.\nHe sells honey at two markets.'],
  ['Court clerk', 'Ana Petrov, 29, she/her, is a court clerk who prepares hearings.'],
] as const;
const TYPES = {
  factor_types: ['Person', 'Place', 'Instrument'],
  task_types: ['Drafting', 'Checking', 'Scheduling'],
  preference_types: ['Voice', 'Level of detail'],
};

function synth(name: string, more: readonly string[], latency = '0ms') {
  const model = `simulated:default?latency=${latency}`;
  const size = ['--n-sessions', '9', '--max-turns', '4', '--concurrency', '8'];
  return [
    'synth',
    `--output-dir=${join(folder, name)}`,
    '--model=simulated:default',
    `--user-model=${model}`,
    `--assistant-model=${model}`,
    ...size,
    ...more,
  ];
}

beforeAll(() => {
  const rows = PEOPLE.map(([occupation, text]) => `${occupation},"${text.replaceAll('"', '""')}"`);
  writeFileSync(personas, ['occupation,description', ...rows].join('\n'));
  writeFileSync(taxonomy, JSON.stringify(TYPES));
});

test('a run of ready personas and types of its own is killed, goes on without their files, and is valid', async () => {
  const own = ['--personas', personas, '--taxonomy', taxonomy];
  const whole = await runLoaded(synth('whole', own, '20ms'));
  expect(whole).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('3 personas, 9 instances, no failures.'),
  });

  const killed = join(folder, 'killed');
  const first = startCupid(synth('killed', own, '20ms'));
  await untilJournalHas(killed, 25, first);
  await kill(first);
  const known = await readJournalSnapshot(killed);
  rmSync(personas);
  rmSync(taxonomy);
  expect(await runLoaded(synth('killed', [], '20ms'))).toMatchObject({ code: 0 });
  expect(listRepeated(known, await readJournalSnapshot(killed))).toEqual([]);
  expect(await hashDataSets(killed)).toEqual(await hashDataSets(join(folder, 'whole')));

  // No model was asked for a description, and every answer has the run's own types.
  expect([...(await readJournalSnapshot(killed)).keys()].filter((key) => key.includes('describe'))).toEqual(
    [],
  );
  const records = await readRecords(join(folder, 'killed'));
  expect(records.map(({ persona }) => [persona.occupation, persona.description])).toEqual(PEOPLE);
  expect(records.map(({ persona_id: id }) => id)).toContain('2+beekeeper');
  for (const { context_factors: factors, sessions } of records) {
    for (const factor of factors) {
      expect(TYPES.factor_types).toContain(factor.factor_type);
      expect(TYPES.preference_types).toContain(factor.preference_type);
      expect(TYPES.task_types).toEqual(expect.arrayContaining(factor.task_types));
    }
    for (const { task_type: type } of sessions) expect(TYPES.task_types).toContain(type);
  }
  expect(await runLoaded(['validate', killed])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Valid: no errors'),
  });
  expect(readFileSync(join(killed, 'CUPID-Raw/README.md'), 'utf8')).toContain(
    'factor types Person, Place, Instrument; task types Drafting, Checking, Scheduling; preference types Voice, Level of detail.',
  );

  // It has no fourth persona.
  const more = [...synth('killed', [], '20ms'), '--n-personas', '4'];
  expect(await runLoaded(more)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `${personas} describes 3 personas, but 4 were requested. Use --n-personas 3`,
    ),
  });
});

test('the personas that a model understands worst are exported, and another run begins with them', async () => {
  const spec = 'simulated:default';
  const results = join(folder, 'results');
  const evaluated = await runLoaded([
    'eval',
    `--results-dir=${results}`,
    `--data=${join(folder, 'whole')}`,
    `--model=${spec}`,
    `--evaluator=${spec}`,
  ]);
  expect(evaluated).toMatchObject({ code: 0 });
  const hardest = join(folder, 'hardest');
  const exported = ['export', join(folder, 'whole/CUPID-Raw'), '--results', results, '--output-dir', hardest];
  expect(await runLoaded([...exported, '--hardest', '2'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'These are the 2 personas of 3 with scores whose preferences were hardest to infer',
    ),
  });
  expect(await runLoaded(['validate', hardest])).toMatchObject({ code: 0 });

  const file = join(hardest, 'data/test-00000-of-00001.parquet');
  const again = await runLoaded([...synth('again', ['--personas', file]), '--n-personas', '2']);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('2 personas, 6 instances') });
  const run: unknown = JSON.parse(readFileSync(join(folder, 'again/run.json'), 'utf8'));
  expect(run).toMatchObject({ seeds: { simulated: true, license: 'cc-by-4.0' }, simulated: true });
  const [before, after] = await Promise.all([
    readRecords(join(folder, 'whole')),
    readRecords(join(folder, 'again')),
  ]);
  const descriptions = before.map(({ persona }) => persona.description);
  expect(after.every(({ persona }) => descriptions.includes(persona.description))).toBe(true);

  expect(await runLoaded([...exported, '--output-dir', join(folder, 'none')])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--hardest N selects personas by the scores in --results DIR. Give both'),
  });
});
