import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Schema } from 'apache-arrow';
import { writeArrow } from '../../../data/tables/arrow';
import { MANIFEST } from '../../../data/marks/marks';
import { renderCanary } from '../../../data/marks/canary';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { validateData } from '../../../publishing/validate';
import { validateCanaries } from '../../../publishing/validation/canary';
import type { Instance } from '../../../schemas/dataset/instance';
import type { ValidatedDataSet, ValidationReport } from '../../../schemas/dataset/validation';
import { createEmptiedFolder } from '../../temporary-folder';
import { renderLines } from '../data/sets/instances';
import { INSTANCE_MUTATIONS, loose, type Loose, type Mutation, RECORD_MUTATIONS } from './mutations';
import { buildLengthyInstances, buildSoundInstances, buildSoundRecords, CANARY } from './sound-data';

const SOUND = buildSoundInstances(3);
const OUR_CARD = `---\ntags: [cupid-pipeline]\n---\n\n${renderCanary(CANARY)}\n`;

const folder = createEmptiedFolder();

/** Returns the sound instances with one row changed, counted from 0. */
function changeRow(at: number, changes: Partial<Instance>): Instance[] {
  return SOUND.map((row, index) => (index === at ? { ...row, ...changes } : row));
}

const FORMS = ['parquet', 'json-lines'] as const;
type Form = (typeof FORMS)[number];

/** Writes a data set with a minimal card that marks it as ours. */
async function write(form: Form, columns: Schema, rows: readonly Loose[], ours = true): Promise<void> {
  const canary = ours ? CANARY : undefined;
  if (form === 'parquet') await writeParquet<Loose>(join(folder, 'test.parquet'), columns, rows, { canary });
  else await writeFile(join(folder, 'test.jsonl'), renderLines(rows));
  if (ours) await writeFile(join(folder, 'README.md'), OUR_CARD);
}

async function validateReport(name = ''): Promise<ValidationReport> {
  return validateData(join(folder, name), {
    environment: {},
    report: (line) => {
      throw new Error(`Unexpected message: ${line}`);
    },
  });
}

async function validate(name = ''): Promise<ValidatedDataSet> {
  const report = await validateReport(name);
  const [dataSet, ...others] = report.dataSets;
  if (dataSet === undefined || others.length > 0) throw new Error('There is not one data set.');
  return dataSet;
}

describe.each([
  ['instances', INSTANCE_COLUMNS, () => buildSoundInstances(3), 9],
  ['records', RECORD_COLUMNS, () => buildSoundRecords(3), 3],
] as const)('sound %s', (kind, columns, rows, count) => {
  test.each(FORMS)('have no errors and no warnings: %s', async (form) => {
    await write(form, columns, loose(rows()));
    expect(await validate()).toMatchObject({
      kind,
      isGenerated: true,
      rows: count,
      personas: 3,
      errors: 0,
      warnings: 0,
      counts: {},
      findings: [],
    });
  });
});

/** Returns the mutations in every form that can hold them, as rows of a table of tests. */
function cases(mutations: readonly Mutation[], columns: Schema) {
  return mutations.flatMap((mutation) =>
    FORMS.filter((form) => mutation.form === undefined || mutation.form === form).map(
      (form) => [mutation.what, mutation.rule, form, mutation, columns] as const,
    ),
  );
}

/** Fails unless this rule is found in this row, as an error (or a warning, if it is never one), and no other rule anywhere. */
async function caught(
  _what: string,
  rule: string,
  form: Form,
  { rows, row, field, columns: own }: Mutation,
  columns: Schema,
): Promise<void> {
  await write(form, own ?? columns, rows);
  const { counts, errors, warnings, findings } = await validate();
  const isNotice = rule === 'column-order';
  expect({ counts, findings }).toMatchObject({ counts: { [rule]: isNotice ? warnings : errors } });
  expect(Object.keys(counts)).toEqual([rule]);
  const persona = row === undefined ? undefined : rows[row - 1]?.['persona_id'];
  expect(findings[0]).toMatchObject({
    rule,
    severity: isNotice ? 'warning' : 'error',
    ...(row !== undefined && { row, persona_id: persona }),
    ...(field !== undefined && { field }),
  });
}

describe('mutated data sets are each caught', () => {
  test.each(cases(INSTANCE_MUTATIONS, INSTANCE_COLUMNS))('instances: %s is %s (%s)', caught);
  test.each(cases(RECORD_MUTATIONS, RECORD_COLUMNS))('records: %s is %s (%s)', caught);
});

describe('what only some files can hold', () => {
  test('a line that is no JSON is reported, and hides nothing of what is wrong elsewhere', async () => {
    const lines = renderLines(SOUND).split('\n');
    const rows = [...lines.slice(0, 4), '{"persona_id": "2+ba', '', ...lines.slice(5)].join('\n');
    await writeFile(join(folder, 'test.jsonl'), rows);
    const { counts, findings, rows: count } = await validate();
    expect(counts).toEqual({ 'unreadable-row': 1 });
    expect(findings).toMatchObject([{ rule: 'unreadable-row', severity: 'error', row: 5 }]);
    expect(count).toBe(9);
  });

  test('a column that one line lacks is missing there', async () => {
    const rows = SOUND.map(({ current_checklist: checklist, ...row }, index) =>
      index === 3 ? row : { ...row, current_checklist: checklist },
    );
    await writeFile(
      join(folder, 'test.jsonl'),
      renderLines(rows.map((row) => Object.fromEntries(Object.entries(row)))),
    );
    const { findings } = await validate();
    expect(findings).toContainEqual(
      expect.objectContaining({
        rule: 'missing-column',
        row: 4,
        persona_id: '2+baker',
        field: 'current_checklist',
      }),
    );
  });

  // The library rejects a Parquet file with such a text.
  test('bytes of an Arrow file that are not UTF-8 are reported by row and field', async () => {
    const rows = changeRow(6, { current_request: 'SPOIL-THIS' });
    const file = join(folder, 'test.arrow');
    await writeArrow(file, INSTANCE_COLUMNS, rows);
    const bytes = await readFile(file);
    bytes.fill(0xff, bytes.indexOf('SPOIL'), bytes.indexOf('SPOIL') + 3);
    await writeFile(file, bytes);
    const { counts, findings } = await validate();
    expect(counts).toEqual({ 'malformed-unicode': 1 });
    expect(findings).toMatchObject([{ row: 7, persona_id: '3+baker', field: 'current_request' }]);
  });

  test('of several files a row is reported as its file counts it', async () => {
    const broken = changeRow(7, { current_contextual_preference: 'Something else altogether.' });
    for (const [part, rows] of [broken.slice(0, 5), broken.slice(5)].entries()) {
      await writeParquet(join(folder, `test-0000${part}-of-00002.parquet`), INSTANCE_COLUMNS, rows);
    }
    const { findings } = await validate();
    expect(findings).toMatchObject([
      {
        file: join(folder, 'test-00001-of-00002.parquet'),
        rule: 'original-preference',
        row: 3,
        persona_id: '3+baker',
        instance_type: 'contrastive',
      },
    ]);
  });
});

describe('what weakens choices is a warning', () => {
  test('a right option that is the longest, for the data set as a whole', async () => {
    await write('parquet', INSTANCE_COLUMNS, loose(buildSoundInstances(30)));
    expect((await validate()).counts).not.toHaveProperty('choice-shortcut');
    await write('parquet', INSTANCE_COLUMNS, loose(buildLengthyInstances(30)));
    const { errors, findings } = await validate();
    expect(errors).toBe(0);
    expect(findings.filter(({ rule }) => rule === 'choice-shortcut')).toEqual([
      {
        rule: 'choice-shortcut',
        severity: 'warning',
        file: expect.stringMatching(/test\.parquet$/),
        message: expect.stringMatching(
          /^A model that always chooses the longest option is right in 66\.7 % .* Report paired accuracy/,
        ),
      },
    ]);
  });

  test('two options with nearly the same words, by persona', async () => {
    const rows = changeRow(2, { current_contextual_preference: 'Answers must not name exactly 9 sources' });
    await write('parquet', INSTANCE_COLUMNS, loose(rows), false);
    const { counts, findings } = await validate();
    expect(counts).toMatchObject({ 'nearly-equal-options': 1 });
    expect(findings).toContainEqual(
      expect.objectContaining({
        rule: 'nearly-equal-options',
        persona_id: '1+baker',
        message: expect.stringContaining('"Answers must not name exactly 9 sources"'),
      }),
    );
  });
});

/** Returns the findings by severity, rule and file. */
async function findByFile(): Promise<string[]> {
  const { findings } = await validate();
  return findings.map(({ rule, severity, file }) => `${severity} ${rule}: ${basename(file)}`);
}

describe('the canary', () => {
  const BARE_CARD = '---\ntags: [cupid-pipeline]\n---\n';
  const OTHER = CANARY.replace('0f', 'ff');

  test.each<[string, string, string | undefined, string[]]>([
    ['in card and file is sound', OUR_CARD, CANARY, []],
    ['in the card alone', OUR_CARD, undefined, ['warning no-canary: test.parquet']],
    ['in the file alone', BARE_CARD, CANARY, ['warning no-canary: README.md']],
    ['nowhere', BARE_CARD, undefined, ['warning no-canary: README.md']],
    ['of other data in the file', OUR_CARD, OTHER, ['error same-canary: test.parquet']],
    ["nowhere in others' data is sound", '# Data\n', undefined, []],
    ["in the file of others' data alone is sound", '# Data\n', CANARY, []],
    [
      "of other data in a file of others' data",
      `# Data\n\n${renderCanary(CANARY)}\n`,
      OTHER,
      ['warning same-canary: test.parquet'],
    ],
  ])('%s', async (_what, card, canary, expected) => {
    await writeFile(join(folder, 'README.md'), card);
    await writeParquet(join(folder, 'test.parquet'), INSTANCE_COLUMNS, SOUND, { canary });
    expect(await findByFile()).toEqual(expected);
  });

  test.each<[string, string | undefined, string[]]>([
    ['that agrees', CANARY, []],
    ['of other data', OTHER, ['error same-canary: test.jsonl']],
    ['that is missing', undefined, []],
  ])('of JSON lines with a manifest %s', async (_what, canary, expected) => {
    await write('json-lines', INSTANCE_COLUMNS, loose(SOUND));
    if (canary !== undefined) {
      await writeFile(join(folder, MANIFEST), JSON.stringify({ canary: renderCanary(canary) }));
    }
    expect(await findByFile()).toEqual(expected);
  });

  test('that only a copy has is named as the one that the others lack', () => {
    const places = [
      { file: 'test.parquet', canary: undefined },
      { file: 'test.arrow', canary: CANARY },
    ];
    const found = validateCanaries(places, { ours: true, expected: undefined, argument: 'out' });
    expect(found).toMatchObject([
      {
        rule: 'no-canary',
        file: 'test.parquet',
        message: expect.stringContaining(
          `The data has ${CANARY}. Write it into all files: cupid export out --output-dir DIR`,
        ),
      },
    ]);
  });

  test('that no place has is explained, with the command', async () => {
    await writeFile(join(folder, 'README.md'), BARE_CARD);
    await writeParquet(join(folder, 'test.parquet'), INSTANCE_COLUMNS, SOUND);
    const { findings } = await validate();
    expect(findings[0]?.message).toMatch(/README\.md, .*test\.parquet\. .*repeat its cupid synth command/);
  });
});

describe("others' data", () => {
  test('may break the structure, as a row of the published data does: a warning', async () => {
    const rows = changeRow(5, {
      current_contextual_preference: SOUND[3]?.current_contextual_preference ?? '',
    });
    await write('parquet', INSTANCE_COLUMNS, loose(rows), false);
    const { isGenerated, errors, warnings, findings } = await validate();
    expect({ isGenerated, errors, warnings }).toEqual({ isGenerated: false, errors: 0, warnings: 1 });
    expect(findings).toMatchObject([
      {
        rule: 'changed-preference',
        severity: 'warning',
        row: 6,
        persona_id: '2+baker',
        instance_type: 'changing',
      },
    ]);
  });

  test.each(['empty-text', 'unknown-column'])('may have what the reference program has: %s', async (rule) => {
    const silent = SOUND.map((row) => ({
      ...row,
      prior_interactions: row.prior_interactions.map((prior) => ({
        ...prior,
        dialogue: prior.dialogue.map((one) => (one.role === 'assistant' ? { ...one, content: '' } : one)),
      })),
    }));
    const noted = SOUND.map((row) => ({ ...row, note: 'n' }));
    await write('json-lines', INSTANCE_COLUMNS, loose(rule === 'empty-text' ? silent : noted), false);
    const { counts, errors } = await validate();
    expect([Object.keys(counts), errors]).toEqual([[rule], 0]);
  });

  test('may not have what nobody can use: a broken form is an error', async () => {
    const rows = changeRow(5, { current_request: '' });
    await write('parquet', INSTANCE_COLUMNS, loose(rows), false);
    expect(await validate()).toMatchObject({ errors: 1, counts: { 'empty-text': 1 } });
  });
});

describe('for people to look at', () => {
  test('a request that gives the preference away, with the share of its words', async () => {
    const rows = SOUND.map((row, index) =>
      index < 3 ? { ...row, current_request: `Do it. ${row.current_contextual_preference}` } : row,
    );
    // In all three instances, so that it is the persona's only request.
    const given = rows.map((row, index) =>
      index < 3 ? { ...row, current_request: rows[0]?.current_request ?? '' } : row,
    );
    await writeFile(join(folder, 'test.jsonl'), renderLines(given));
    const { errors, findings } = await validate();
    expect(errors).toBe(0);
    expect(findings[0]).toMatchObject({ rule: 'preference-in-request', severity: 'warning', row: 1 });
    const { figures } = await validateReport();
    expect(figures.preferenceInRequest?.maximum).toBe(1);
    expect(figures.preferenceInRequest?.mean).toBeGreaterThan(0.2);
    expect(figures.preferenceInRequest?.mean).toBeLessThan(0.5);
    expect(figures.leakage).toMatchObject({ count: 3, total: 9 });
  });

  test('factors, sessions and messages of records that weaken their instances, where the structure is sound', async () => {
    const [record] = buildSoundRecords(1);
    if (record === undefined) throw new Error('No record.');
    const [interaction, ...interactions] = record.interactions;
    if (interaction === undefined) throw new Error('No interaction.');
    const quoting = { role: 'user' as const, content: `You forgot: ${interaction.preference}` };
    const weak = {
      ...record,
      context_factors: record.context_factors.map((factor, index) =>
        index === 7 ? { ...factor, factor_type: 'Person/Group' as const } : factor,
      ),
      sessions: record.sessions.map((session, index) =>
        index === 2 ? { ...session, story: 'A quiet week.' } : session,
      ),
      interactions: [{ ...interaction, chat: [...interaction.chat.slice(0, -1), quoting] }, ...interactions],
    };
    await writeParquet(join(folder, 'test.parquet'), RECORD_COLUMNS, [weak]);
    const { errors, findings } = await validate();
    expect(errors).toBe(0);
    expect(findings.map(({ rule, severity, field }) => [rule, severity, field])).toEqual([
      ['factor-quality', 'warning', 'context_factors'],
      ['journey-quality', 'warning', 'sessions[2].story'],
      ['dialogue-quality', 'warning', 'interactions[0].chat[2].content'],
    ]);
  });

  test('requests and personas that are nearly the same, each once', async () => {
    const [first, second, third] = buildSoundRecords(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error('Too few.');
    const copied = { ...third, persona: { ...third.persona, description: first.persona.description } };
    await writeParquet(join(folder, 'test.parquet'), RECORD_COLUMNS, [first, second, copied]);
    expect((await validate()).findings).toMatchObject([
      { rule: 'near-duplicate-persona', severity: 'warning', row: 3, persona_id: '3+baker' },
    ]);
    const rows = SOUND.map((row, index) =>
      index < 6 ? row : { ...row, current_request: SOUND[0]?.current_request ?? '' },
    );
    await writeParquet(join(folder, 'test.parquet'), INSTANCE_COLUMNS, rows);
    expect((await validate()).findings).toMatchObject([
      { rule: 'near-duplicate-request', severity: 'warning', row: 7, persona_id: '3+baker' },
    ]);
  });
});

test('the worst come first, and the counts have all', async () => {
  const rows = buildSoundInstances(50).map((row, index) => ({
    ...row,
    current_request: ' ',
    ...(index === 140 && { current_checklist: [] }),
  }));
  await writeFile(join(folder, 'test.jsonl'), renderLines(rows));
  const { counts, errors, findings } = await validate();
  expect(counts).toEqual({ 'empty-text': 150, 'field-form': 1 });
  expect(errors).toBe(151);
  expect(findings[0]).toMatchObject({ rule: 'field-form', row: 141 });
  expect(findings).toHaveLength(101);
});

test('a stop is heeded', async () => {
  await write('json-lines', INSTANCE_COLUMNS, loose(SOUND));
  const stopped = validateData(folder, {
    environment: {},
    report: () => undefined,
    signal: AbortSignal.abort(new Error('Stopped.')),
  });
  await expect(stopped).rejects.toThrow('Stopped.');
});

test('a file that is cut off is no report but an error', async () => {
  await writeFile(join(folder, 'test.parquet'), 'PAR1');
  await expect(validate()).rejects.toThrow('test.parquet begins as Parquet but is damaged or cut off');
});
