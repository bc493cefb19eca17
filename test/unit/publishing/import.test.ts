import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCard } from '../../../data/card/read';
import { DataError } from '../../../data/store/data-error';
import { openData } from '../../../data/sets/open';
import { readTableRows } from '../../../data/readers/table';
import { readRecords } from '../../../data/sets/read';
import { importData } from '../../../publishing/import';
import { validateData } from '../../../publishing/validate';
import { importReportSchema } from '../../../schemas/dataset/export';
import type { PersonaRecord, RecordForm } from '../../../schemas/dataset/record';
import { expectGoldenErrors, type RefusedCall } from '../../golden';
import { createEmptiedFolder } from '../../temporary-folder';
import { collect } from '../data/sets/instances';
import { AROUND } from './edge-data';
import { buildSoundInstances, buildSoundRecords } from './sound-data';

const folder = createEmptiedFolder();

const LICENSE = { license: 'cc-by-nc-sa-4.0' };
const out = () => join(folder, 'out');
const layout = () => join(folder, 'layout');

function write(path: string, content: unknown): void {
  const file = join(layout(), path);
  mkdirSync(dirname(file), { recursive: true });
  const isText = typeof content === 'string' || content instanceof Buffer;
  writeFileSync(file, isText ? content : JSON.stringify(content));
}

const [baker, pilot] = buildSoundRecords(2).map((record, index) => ({
  ...record,
  persona: { ...record.persona, occupation: ['Master Baker', 'Pilot/Teacher'][index] ?? '' },
}));
if (baker === undefined || pilot === undefined) throw new Error('There are no records.');

/** Builds a persona's data file as the reference program writes it: with the last session's request, which nobody answered. */
function dataFile({ context_factors, sessions, interactions }: PersonaRecord): object {
  const last = sessions.at(-1);
  const unanswered = {
    session_id: last?.id,
    preference: last?.preference,
    checklist: last?.checklist,
    chat: [
      { role: 'user', content: last?.request_with_factor },
      { role: 'assistant', content: null },
    ],
    is_satisfied: false,
  };
  return { context_factors, sessions, interactions: [...interactions, unanswered] };
}

function writePersonas(): void {
  write('personas.json', [pilot?.persona, baker?.persona]);
  if (pilot !== undefined) write('data/2+pilot_and_teacher.json', dataFile(pilot));
  if (baker !== undefined) write('data/1+master_baker.json', dataFile(baker));
}

async function imported(): Promise<RecordForm[]> {
  return collect(readRecords(await openData(join(out(), 'CUPID-Raw'), AROUND)));
}

const importing = () => importData(layout(), { outputDir: out(), ...LICENSE });

test('personas come in the order of their numbers, each under the name of its file, without the unanswered last session', async () => {
  writePersonas();
  const report = await importing();
  expect(importReportSchema.parse(report)).toEqual(report);
  expect(report).toMatchObject({
    records: 2,
    personasWithoutData: [],
    notes: [],
    license: 'cc-by-nc-sa-4.0',
  });
  expect(report.instances).toBeUndefined();
  const records = await imported();
  expect(records.map(({ persona_id: id }) => id)).toEqual(['1+master_baker', '2+pilot_and_teacher']);
  expect(records.map(({ persona }) => persona)).toEqual([baker.persona, pilot.persona]);
  expect(records.map(({ interactions }) => interactions)).toEqual([baker.interactions, pilot.interactions]);
});

test('a dialogue of the last session that somebody did answer is kept, and so are unanswered messages of others', async () => {
  writePersonas();
  const [first, ...others] = baker.interactions;
  const empty = { ...first, chat: [first?.chat[0], { role: 'assistant', content: null }] };
  const blank = { ...others[0], chat: [others[0]?.chat[0], { role: 'assistant', content: '' }] };
  const last = { ...others[1], session_id: baker.sessions.length };
  const interactions = [empty, blank, ...others.slice(1), last];
  write('data/1+master_baker.json', { ...dataFile(baker), interactions });
  await importing();
  expect((await imported())[0]?.interactions).toEqual(interactions);
});

test('a resource may be missing or null', async () => {
  writePersonas();
  const sessions = baker.sessions.map((session, index) => ({
    ...session,
    // JSON omits undefined values.
    resource: ['A list.', null][index],
  }));
  write('data/1+master_baker.json', { ...dataFile(baker), sessions });
  await importing();
  const resources = (await imported())[0]?.sessions.map(({ resource }) => resource);
  expect(resources?.slice(0, 3)).toEqual(['A list.', null, null]);
});

test('a persona that the program failed on is left out and named', async () => {
  writePersonas();
  rmSync(join(layout(), 'data/1+master_baker.json'));
  expect(await importing()).toMatchObject({ records: 1, personasWithoutData: ['1+master_baker'] });
});

test('where it failed on all of them, there is nothing to import', async () => {
  write('personas.json', [baker.persona]);
  await expect(importing()).rejects.toThrow(/has none of the reference program's files/);
  expect(readdirSync(folder)).toEqual(['layout']);
});

test('names are found however their spaces, slashes and capitals were written', async () => {
  write('personas.json', [baker.persona, pilot.persona]);
  write('data/1+Master Baker.json', dataFile(baker));
  write('data/2+pilot__and_ teacher.json', dataFile(pilot));
  expect(await importing()).toMatchObject({ records: 2, personasWithoutData: [] });
});

test('instances come by persona and type, with null and empty messages as they are, and with a word on the null ones', async () => {
  const [one, two, three] = buildSoundInstances(1);
  const [session] = one?.prior_interactions ?? [];
  const dialogue = [
    session?.dialogue[0],
    { role: 'assistant', content: null },
    { role: 'user', content: '' },
  ];
  const gap = { ...one, prior_interactions: [{ ...session, dialogue }] };
  write('instances/10+baker+consistent.json', { ...one, persona_id: '10+baker' });
  write('instances/1+baker+changing.json', three);
  write('instances/1+baker+contrastive.json', two);
  write('instances/1+baker+consistent.json', gap);
  const report = await importing();
  expect(report).toMatchObject({
    instances: 4,
    notes: [expect.stringMatching(/^1 message .* is null.* They are kept/)],
  });
  expect(report.records).toBeUndefined();
  const file = join(out(), 'CUPID-Unverified', 'test.parquet');
  const columns = ['persona_id', 'instance_type', 'prior_interactions'];
  const rows = await collect(readTableRows({ path: file, name: file }, columns));
  expect(rows.map(({ value }) => value)).toMatchObject([
    { persona_id: '1+baker', instance_type: 'consistent', prior_interactions: [{ dialogue }] },
    { persona_id: '1+baker', instance_type: 'contrastive' },
    { persona_id: '1+baker', instance_type: 'changing' },
    { persona_id: '10+baker', instance_type: 'consistent' },
  ]);
  expect(readdirSync(out())).toEqual(['CUPID-Unverified']);
});

test('instances of personas that no persona file lists are kept, and counted', async () => {
  writePersonas();
  const [instance] = buildSoundInstances(1);
  write('instances/1+baker+consistent.json', instance);
  write('instances/1+master_baker+consistent.json', { ...instance, persona_id: '1+master_baker' });
  const report = await importing();
  expect(report).toMatchObject({
    instances: 2,
    notes: ['1 persona with instances is not in personas.json. Such instances are kept.'],
  });
});

test('instances that ask for something else than their persona’s record are named, by the import and by validate', async () => {
  writePersonas();
  const [instance, other] = buildSoundInstances(1).map((one) => ({ ...one, persona_id: '1+master_baker' }));
  if (instance === undefined) throw new Error('There is no instance.');
  const earlier = instance.prior_interactions.at(-1)?.dialogue[0]?.content;
  write('instances/1+master_baker+consistent.json', { ...instance, current_request: earlier });
  write('instances/1+master_baker+contrastive.json', {
    ...other,
    prior_interactions: instance.prior_interactions,
  });
  const { notes } = await importing();
  expect(notes).toEqual([
    expect.stringMatching(/^The instances of 1 persona \(such as 1\+master_baker\) do not ask what/),
  ]);
  const { dataSets } = await validateData(out(), AROUND);
  const found = dataSets.flatMap(({ findings }) => findings);
  expect(found.filter(({ rule }) => rule === 'instances-of-record')).toMatchObject([
    { severity: 'warning', row: 1, field: 'current_request' },
  ]);
});

test('keys that have no column are left out, and each is reported once', async () => {
  write('personas.json', [
    { ...baker.persona, name: 'Ann' },
    { ...pilot.persona, name: 'Ben' },
  ]);
  const sessions = baker.sessions.map((session) => ({ ...session, difficulty: 3 }));
  write('data/1+master_baker.json', { ...dataFile(baker), sessions, seconds: 12.5 });
  write('data/2+pilot_and_teacher.json', { ...dataFile(pilot), seconds: 9 });
  const { notes } = await importing();
  expect(notes).toEqual([expect.stringContaining('[].name, seconds, sessions[].difficulty')]);
  expect(await imported()).toHaveLength(2);
});

test('the cards say where the data are from, count them, and do not claim them for this program', async () => {
  writePersonas();
  for (const instance of buildSoundInstances(2)) {
    write(`instances/${instance.persona_id}+${instance.instance_type}.json`, instance);
  }
  await importing();
  for (const [dataSet, rows] of [
    ['CUPID-Raw', 2],
    ['CUPID-Unverified', 6],
  ] as const) {
    const text = readFileSync(join(out(), dataSet, 'README.md'), 'utf8');
    expect(readCard(text)).toMatchObject({
      ours: false,
      simulated: undefined,
      license: 'cc-by-nc-sa-4.0',
      testFiles: ['test.parquet'],
      datasetInfo: { numExamples: rows },
    });
    expect(text).toContain('reference program');
  }
});

test.each([
  ['no card', undefined, 'cc-by-nc-sa-4.0'],
  ['a card without a license', '# Data', 'cc-by-nc-sa-4.0'],
  ['a card with one', '---\nlicense: mit\n---\n', 'mit'],
  ['a card with one that only it describes', '---\nlicense: other\n---\n', 'unknown'],
])('without --license, of %s', async (_, card, license) => {
  writePersonas();
  if (card !== undefined) write('README.md', card);
  expect(await importData(layout(), { outputDir: out() })).toMatchObject({ license });
});

test('a wrong file is reported by its name, its place and the remedy', async () => {
  const refuse = (what: string, path: string, content: unknown): RefusedCall => [
    what,
    async () => {
      rmSync(layout(), { recursive: true, force: true });
      writePersonas();
      write(path, content);
      // Partial output is removed as well.
      await importing().finally(() => expect(readdirSync(folder)).toEqual(['layout']));
    },
  ];
  const BAKER = 'data/1+master_baker.json';
  const text = JSON.stringify(dataFile(baker));
  const storied = { ...dataFile(baker), sessions: [{ ...baker.sessions[0], story: true }] };
  const [, , instance] = buildSoundInstances(1);
  await expectGoldenErrors('refused-imports.txt', folder, DataError, [
    refuse('JSON that breaks off', BAKER, '{\n  "sessions": ['),
    refuse('JSON with a mistake', 'personas.json', '[\n  {"id": 1,}\n]'),
    refuse('what Python writes for no number', BAKER, `{"seconds": NaN,\n${text.slice(1)}`),
    refuse('a value of another kind, as YAML 1.1 makes them', BAKER, storied),
    refuse('a list of personas that is none', 'personas.json', { personas: [] }),
    refuse('half of a surrogate pair', BAKER, text.replace('"How', '"\\ud83d')),
    refuse('a data file of no persona', 'data/9+pilot.json', dataFile(pilot)),
    refuse('two personas of one number', 'personas.json', [baker.persona, pilot.persona, baker.persona]),
    refuse('a file that is no text', BAKER, Buffer.from([0x7b, 0xff, 0x7d])),
    [
      'no list of personas',
      () => {
        rmSync(join(layout(), 'personas.json'));
        return importing();
      },
    ],
    [
      'two instances of one key',
      () => {
        writePersonas();
        write('instances/1+baker+changing.json', instance);
        write('instances/2+baker+changing.json', instance);
        return importing();
      },
    ],
  ]);
});

test('two data files of one persona are refused, in whatever order the folder lists them', async () => {
  writePersonas();
  write('data/1+Master Baker.json', dataFile(baker));
  await expect(importing()).rejects.toThrow(/to the same persona as 1\+(master_baker|Master Baker)\.json/);
});

test('a folder that has nothing of it, and a license that the Hub does not know', async () => {
  mkdirSync(layout());
  await expect(importing()).rejects.toThrow(/has none of the reference program's files/);
  writePersonas();
  const made = importData(layout(), { outputDir: out(), license: 'free' });
  await expect(made).rejects.toThrow(DataError);
  expect(readdirSync(folder)).toEqual(['layout']);
});
