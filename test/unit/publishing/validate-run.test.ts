import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeArrow } from '../../../data/tables/arrow';
import { withFiles } from '../../../data/card/dataset-info';
import { renderCanary } from '../../../data/marks/canary';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { validateData } from '../../../publishing/validate';
import type { Instance } from '../../../schemas/dataset/instance';
import type { Provenance } from '../../../schemas/dataset/provenance';
import { listRelevantSessions } from '../../../rules/instances/split';
import { writePersona } from '../../../data/run/artifacts';
import { createFolderStore } from '../../../data/store/store';
import type { PersonaRecord, StoredPersona } from '../../../schemas/dataset/record';
import type { ValidationReport } from '../../../schemas/dataset/validation';
import { createEmptiedFolder } from '../../temporary-folder';
import { buildProvenanceRow } from '../data/tables/rows';
import { AROUND } from './edge-data';
import { CANARY, SEED, buildSoundInstances, buildSoundRecords } from './sound-data';

const folder = createEmptiedFolder();

function validateFolder(name = ''): Promise<ValidationReport> {
  return validateData(join(folder, name), AROUND);
}

/** A run of three personas, with the parts that validation reads; each can be replaced. */
interface Run {
  readonly instances: readonly Instance[];
  readonly records: readonly PersonaRecord[];
  readonly provenance: readonly Provenance[];
  readonly seed: number;
  readonly nSessions: number;
  readonly simulated: boolean;
  /** Canary in the file of records. */
  readonly rawCanary: string;
  /** Changes the card of the instances. */
  readonly card: (text: string) => string;
}

const MARKS = { canary: CANARY };
const INSTANCES = buildSoundInstances(3);
const SOUND: Run = {
  instances: INSTANCES,
  records: buildSoundRecords(3),
  provenance: INSTANCES.map((one) => originOf(one)),
  seed: SEED,
  nSessions: 13,
  simulated: true,
  rawCanary: CANARY,
  card: (text) => text,
};

function originOf({ persona_id, instance_type }: Instance): Provenance {
  return { ...buildProvenanceRow(0), persona_id, instance_type, simulated: true };
}

async function validateRun(changes: Partial<Run>, name = ''): Promise<ValidationReport> {
  const run = { ...SOUND, ...changes };
  const instances = await writeParquet(
    join(folder, 'CUPID-Unverified', 'test.parquet'),
    INSTANCE_COLUMNS,
    run.instances,
    MARKS,
  );
  const raw = join(folder, 'CUPID-Raw', 'test.parquet');
  const records = await writeParquet(raw, RECORD_COLUMNS, run.records, { canary: run.rawCanary });
  await writeParquet(join(folder, 'provenance.parquet'), PROVENANCE_COLUMNS, run.provenance);
  await writeFile(
    join(folder, 'run.json'),
    JSON.stringify({
      settings: { seed: run.seed, nSessions: run.nSessions, maxTurns: 16 },
      simulated: run.simulated,
    }),
  );
  const path = 'test.parquet';
  const tags = `---\ntags: [cupid-pipeline, simulated]\n---\n\n# Data\n\n${renderCanary(CANARY)}\n`;
  await writeFile(
    join(folder, 'CUPID-Unverified', 'README.md'),
    run.card(withFiles(tags, INSTANCE_COLUMNS, { path, ...instances })),
  );
  await writeFile(
    join(folder, 'CUPID-Raw', 'README.md'),
    withFiles(tags, RECORD_COLUMNS, { path, ...records }),
  );
  return validateFolder(name);
}

test('a sound run has nothing wrong in either of its data sets', async () => {
  expect(await validateRun({})).toMatchObject({
    dataSets: [
      { kind: 'instances', isGenerated: true, simulated: true, rows: 9, personas: 3, counts: {} },
      { kind: 'records', isGenerated: true, simulated: true, rows: 3, personas: 3, counts: {} },
    ],
    errors: 0,
    warnings: 0,
  });
});

test('selected items are counted from the folder of the run, for the personas in its data, and unknown where it cannot be read', async () => {
  expect((await validateRun({})).figures.selection).toBeUndefined();
  const store = createFolderStore(join(folder, '.cupid'), folder);
  const records = buildSoundRecords(4);
  for (const [at, record] of records.entries()) await writePersona(store, at + 1, buildStoredPersona(record));
  const counted = (await validateFolder()).figures.selection;
  const relevant = records.slice(0, 3).flatMap((record) => {
    const ids = new Set(listRelevantSessions(record));
    return record.interactions.filter(({ session_id: id }) => ids.has(id));
  });
  const items = relevant.reduce((sum, { checklist }) => sum + checklist.length, 0);
  expect(counted).toMatchObject({ count: relevant.length, total: items });
  expect((await validateFolder('CUPID-Unverified')).figures.selection).toBeUndefined();
  await writeFile(join(folder, '.cupid', 'records', '0000001.json'), '{}');
  expect((await validateFolder()).figures.selection).toBeUndefined();
});

/** Builds a stored persona whose user selected the first item of each session's checklist. */
function buildStoredPersona(record: PersonaRecord): StoredPersona {
  return {
    record,
    workflow_id: 'w',
    disagreements: [],
    selections: record.interactions.map(({ session_id: session }) => ({ session, items: [1] })),
    scores: [],
    dialogue_tokens: [],
    answered_by: [],
    code_version: '0',
    calls: 0,
    bad_answers: 0,
    input_tokens: 0,
    output_tokens: 0,
  };
}

test('the other form of the same rows is not what the card counts the bytes of', async () => {
  await validateRun({});
  const file = join(folder, 'CUPID-Unverified', 'test.arrow');
  await writeArrow(file, INSTANCE_COLUMNS, INSTANCES, MARKS);
  const { errors, warnings } = await validateFolder('CUPID-Unverified/test.arrow');
  expect({ errors, warnings }).toEqual({ errors: 0, warnings: 0 });
});

describe('the copy as Arrow IPC', () => {
  const [first, ...others] = INSTANCES;
  if (first === undefined) throw new Error('There are instances.');
  const changed = { ...first, current_request: `${first.current_request} Today.` };

  test.each<[string, readonly Instance[] | string, string[]]>([
    ['with the same rows is sound', INSTANCES, []],
    ['with another row is told, by the row', [...others, changed], [`9 ${first.persona_id} current_request`]],
    ['with a row less is told', others, ['file']],
    ['that is none is told', 'garbage', ['file']],
  ])('%s', async (_what, rows, expected) => {
    await validateRun({});
    const file = join(folder, 'CUPID-Unverified', 'test.arrow');
    if (typeof rows === 'string') await writeFile(file, rows);
    else await writeArrow(file, INSTANCE_COLUMNS, rows, MARKS);
    const { dataSets, errors } = await validateFolder();
    const found = dataSets.flatMap(({ findings }) => findings);
    expect(
      found.map(({ row, persona_id: persona, field }) =>
        row === undefined ? 'file' : `${row} ${persona} ${field}`,
      ),
    ).toEqual(expected);
    expect(found.every(({ rule }) => rule === 'arrow-copy')).toBe(true);
    expect(errors).toBe(expected.length);
  });
});

test.each(['provenance.parquet', 'CUPID-Unverified/README.md', 'CUPID-Raw/README.md'])(
  'of a run, a %s that is gone is reported',
  async (name) => {
    await validateRun({});
    await rm(join(folder, name));
    const { dataSets } = await validateFolder();
    expect(dataSets.flatMap(({ findings }) => findings)).toEqual([
      expect.objectContaining({
        rule: 'missing-file',
        message: expect.stringContaining(name.slice(name.indexOf('/') + 1)),
      }),
    ]);
  },
);

test('what is no record in CUPID-Raw is reported, and not taken for instances', async () => {
  await validateRun({});
  await writeParquet(join(folder, 'CUPID-Raw', 'test.parquet'), INSTANCE_COLUMNS, INSTANCES, MARKS);
  const { dataSets } = await validateFolder();
  expect(dataSets.map(({ kind }) => kind)).toEqual(['instances', 'records']);
  expect(dataSets[1]?.counts).toMatchObject({ 'missing-column': 4, 'unknown-column': 6 });
});

test.each(['CUPID-Unverified', 'CUPID-Raw', 'CUPID-Raw/test.parquet'])(
  'of a run, %s alone can be checked as well, and is ours',
  async (name) => {
    const { dataSets, errors } = await validateRun({}, name);
    expect(dataSets).toMatchObject([{ isGenerated: true, simulated: true }]);
    expect(errors).toBe(0);
  },
);

/** Returns the findings in short form. */
async function foundIn(changes: Partial<Run>): Promise<string[]> {
  const { dataSets } = await validateRun(changes);
  return dataSets.flatMap(({ findings }) =>
    findings.map(
      ({ rule, severity, file, row, persona_id: persona, instance_type: type, field }) =>
        `${severity} ${rule}: ${file.slice(folder.length + 1)} ${row ?? '-'} ${persona ?? '-'}/${type ?? '-'} ${field ?? '-'}`,
    ),
  );
}

const UNVERIFIED = 'CUPID-Unverified/test.parquet';

/** Lists the rows of a persona's instances, from the row of the first one. */
function listRows(first: number, persona: string): string[] {
  return ['consistent', 'contrastive', 'changing'].map((type, at) => `${first + at} ${persona}/${type}`);
}

function isOther({ persona_id: persona }: { readonly persona_id: string }): boolean {
  return persona !== '3+baker';
}

describe('the instances are those of the records', () => {
  const rule = 'error instances-of-record';
  const [first, second, third] = SOUND.records;
  if (first === undefined || second === undefined || third === undefined) throw new Error('Too few.');
  const interactions = first.interactions.map((one) => ({
    ...one,
    chat: one.chat.map((message, place) => (place === 1 ? { ...message, content: 'Changed.' } : message)),
  }));

  test.each<[string, Partial<Run>, readonly string[]]>([
    [
      'a request that was changed in all rows of a persona',
      {
        instances: INSTANCES.map((one) =>
          one.persona_id === '2+baker' ? { ...one, current_request: 'Something else.' } : one,
        ),
      },
      listRows(4, '2+baker').map((row) => `${row} current_request`),
    ],
    [
      'a dialogue that was changed in the record',
      { records: [{ ...first, interactions }, second, third] },
      listRows(1, '1+baker').map((row) => `${row} prior_interactions`),
    ],
    [
      'a persona that only the records have',
      { instances: INSTANCES.filter(isOther), provenance: SOUND.provenance.filter(isOther) },
      ['consistent', 'contrastive', 'changing'].map((type) => `- 3+baker/${type} -`),
    ],
    [
      'a persona that only the instances have',
      { records: [first, second] },
      listRows(7, '3+baker').map((row) => `${row} -`),
    ],
  ])('%s', async (_what, changes, found) => {
    expect(await foundIn(changes)).toEqual(found.map((one) => `${rule}: ${UNVERIFIED} ${one}`));
  });

  test('a change in one row, and a record that yields no instances', async () => {
    const instances = INSTANCES.map((one, at) => (at === 4 ? { ...one, current_request: 'Else.' } : one));
    const records = [first, second, { ...third, interactions: third.interactions.slice(1) }];
    expect(await foundIn({ instances, records })).toEqual([
      `${rule}: ${UNVERIFIED} 5 2+baker/contrastive current_request`,
      `${rule}: ${UNVERIFIED} - 3+baker/- -`,
      'error one-dialogue-a-session: CUPID-Raw/test.parquet 3 3+baker/- interactions',
    ]);
  });

  test('other sessions left out than the seed of the run says', async () => {
    const found = await foundIn({ seed: SEED + 1 });
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((one) => one.startsWith(rule) && one.endsWith('prior_interactions'))).toBe(true);
  });
});

const PROVENANCE = SOUND.provenance;
const STRANGER = PROVENANCE.slice(0, 1).map((one) => ({ ...one, persona_id: '9+baker' }));

test.each<[string, readonly Provenance[], string]>([
  [
    'an instance without a row',
    PROVENANCE.filter((_, at) => at !== 4),
    `${UNVERIFIED} 5 2+baker/contrastive -`,
  ],
  [
    'an instance with two rows',
    [...PROVENANCE, ...PROVENANCE.slice(4, 5)],
    'provenance.parquet 10 2+baker/contrastive -',
  ],
  ['a row of no instance', [...PROVENANCE, ...STRANGER], 'provenance.parquet 10 9+baker/consistent -'],
  [
    'a row that calls simulated data real',
    PROVENANCE.map((one, at) => ({ ...one, simulated: at !== 3 })),
    'provenance.parquet 4 2+baker/consistent simulated',
  ],
])('the provenance is that of the instances: %s', async (_what, provenance, found) => {
  expect(await foundIn({ provenance })).toEqual([`error provenance-of-instance: ${found}`]);
});

describe('the card is that of the data', () => {
  const card = 'error card-of-data: CUPID-Unverified/README.md - -/-';

  test.each([
    ['num_examples', 9],
    ['num_bytes', undefined],
    ['download_size', undefined],
    ['dataset_size', undefined],
  ])('%s', async (name, is) => {
    const figure = new RegExp(`(${name}: )(\\d+)`);
    const wrong = (text: string) => {
      if (is !== undefined) expect(figure.exec(text)?.[2]).toBe(String(is));
      return text.replace(figure, '$17');
    };
    expect(await foundIn({ card: wrong })).toEqual([`${card} dataset_info.${name}`]);
  });

  test.each([
    ['name: current_request', 'name: request', 'dataset_info.features'],
    [', simulated', '', 'tags'],
  ])('%s', async (before, after, field) => {
    const found = await foundIn({ card: (text) => text.replace(before, after) });
    expect(found).toEqual([`${card} ${field}`]);
  });
});

test('the canary is the same in both data sets and in the copy as Arrow IPC', async () => {
  const other = CANARY.replace('0f', 'ff');
  const expected = [{ rule: 'same-canary', severity: 'error', message: expect.stringContaining(other) }];
  const { dataSets } = await validateRun({ rawCanary: other });
  expect(dataSets.map(({ findings }) => findings)).toMatchObject([[], expected]);
  await validateRun({});
  const copy = join(folder, 'CUPID-Unverified', 'test.arrow');
  await writeArrow(copy, INSTANCE_COLUMNS, INSTANCES, { canary: other });
  const copied = await validateFolder();
  expect(copied.dataSets.map(({ findings }) => findings)).toMatchObject([
    [{ ...expected[0], file: copy }],
    [],
  ]);
});

test('the number of sessions, and of prior interactions, is the one that run.json gives', async () => {
  const whole = await validateRun({ nSessions: 12 });
  const instances = await validateRun({ nSessions: 12 }, 'CUPID-Unverified');
  const counts = [whole, instances].flatMap(({ dataSets }) => dataSets.map((one) => one.counts));
  expect(counts).toEqual([{}, { 'journey-structure': 3 }, { 'prior-count': 3 }]);
});

test('without run.json it is the one that most rows have', async () => {
  const instances = INSTANCES.map((one, at) => ({
    ...one,
    prior_interactions: one.prior_interactions.slice(at === 0 ? 0 : 1),
  }));
  await validateRun({ instances });
  await rm(join(folder, 'run.json'));
  const { dataSets } = await validateFolder('CUPID-Unverified');
  expect(dataSets[0]?.counts['prior-count']).toBe(1);
});

test('a run.json that says nothing is an error of its own', async () => {
  await validateRun({});
  await writeFile(join(folder, 'run.json'), '{}');
  await expect(validateFolder()).rejects.toThrow(/run\.json is not what cupid synth writes/);
});
