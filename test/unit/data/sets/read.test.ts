import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DataType,
  Field,
  List,
  LargeUtf8,
  Schema,
  Struct,
  Table,
  Utf8,
  tableFromArrays,
  tableToIPC,
  type TypeMap,
} from 'apache-arrow';
import { writeArrow } from '../../../../data/tables/arrow';
import { INSTANCE_COLUMNS, PROVENANCE_COLUMNS, RECORD_COLUMNS } from '../../../../data/tables/columns';
import { DataError } from '../../../../data/store/data-error';
import { openData } from '../../../../data/sets/open';
import { readProvenance, readWholeProvenance } from '../../../../data/sets/provenance';
import { readInstances } from '../../../../data/sets/read';
import { writeJsonList } from '../../../../data/tables/json-lines';
import { writeParquet } from '../../../../data/tables/parquet';
import type { Instance } from '../../../../schemas/dataset/instance';
import type { Provenance } from '../../../../schemas/dataset/provenance';
import { buildNumbered, buildProvenanceRow, recordRow, buildSoundInstance } from '../tables/rows';
import { collect, buildInstances, renderLines } from './instances';
import { expectGoldenErrors, type RefusedCall } from '../../../golden';
import { createEmptiedFolder } from '../../../temporary-folder';

const folder = createEmptiedFolder();

async function read(name: string): Promise<Instance[]> {
  const dataSet = await openData(join(folder, name), { report: () => undefined, environment: {} });
  return collect(readInstances(dataSet));
}

/** Returns the problems of these rows, written as JSON lines, without the folder's name. */
async function problemsOf(rows: readonly unknown[]): Promise<string[]> {
  await writeFile(join(folder, 'rows.jsonl'), renderLines(rows));
  return problemsIn('rows.jsonl');
}

async function problemsIn(name: string): Promise<string[]> {
  const error = await read(name).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DataError)) throw new Error(`Not the error that was wanted: ${String(error)}`);
  return error.message.replaceAll(`${folder}/`, '').split('\n');
}

const REMEDY = 'Fix the file or leave such rows out.';

describe('what this program writes is read as it was', () => {
  const rows = buildInstances(230);

  test.each([
    ['Parquet', 'test.parquet', (file: string) => writeParquet(file, INSTANCE_COLUMNS, rows)],
    ['Arrow', 'test.arrow', (file: string) => writeArrow(file, INSTANCE_COLUMNS, rows)],
    ['JSON lines', 'test.jsonl', (file: string) => writeFile(file, renderLines(rows))],
    ['a JSON list', 'test.json', (file: string) => writeJsonList(file, INSTANCE_COLUMNS, rows)],
  ])('%s', async (_form, name, write) => {
    await write(join(folder, name));
    expect(await read(name)).toEqual(rows);
  });
});

describe('every row is checked', () => {
  const sound = buildSoundInstance(1);
  const [prior] = sound.prior_interactions;
  const user = { role: 'user', content: 'Hello.' };
  const assistant = { role: 'assistant', content: 'Hello!' };

  test('in form and content, with what is wrong by line and field', async () => {
    const refuse = (change: Record<string, unknown>, what: object = change): RefusedCall => [
      JSON.stringify(what, (_, value: unknown) => value ?? null),
      async () => {
        const rows = [buildSoundInstance(0), { ...sound, ...change }, buildSoundInstance(2)];
        await writeFile(join(folder, 'rows.jsonl'), renderLines(rows));
        return read('rows.jsonl');
      },
    ];
    const refuseDialogue = (...dialogue: object[]) =>
      refuse({ prior_interactions: [prior, { ...prior, dialogue }] }, { dialogue });
    await expectGoldenErrors('refused-rows.txt', folder, DataError, [
      refuse({ current_request: null }),
      refuse({ persona_id: undefined }),
      refuse({ current_context_factor: 5 }),
      refuse({ current_contextual_preference: ' \n' }),
      refuse({ instance_type: 'constant' }),
      refuse({ current_checklist: ['fine', 'cut \ud83d'] }),
      refuse({ current_checklist: null }),
      refuse({ current_checklist: [] }),
      refuse({ current_checklist: '["a"]' }),
      refuse({ current_checklist: ['fine', null] }),
      refuse({ prior_interactions: [] }),
      refuse({ prior_interactions: [null] }),
      refuseDialogue(),
      refuseDialogue(user, { role: 'assistant', content: null }),
      refuseDialogue({ role: 'system', content: 'Be brief.' }, user),
      refuseDialogue(assistant, user),
      refuseDialogue(user, assistant, user, user, assistant),
    ]);
  });

  test('a row that is no object', async () => {
    expect(await problemsOf([[buildSoundInstance(0)].length, buildSoundInstance(1)])).toEqual([
      'rows.jsonl, line 1, expected an object, found 1.',
      REMEDY,
    ]);
  });

  test('an empty message of a dialogue does no harm, and neither do columns of others', async () => {
    const rows = [
      {
        ...sound,
        note: 1,
        prior_interactions: [{ ...prior, dialogue: [user, { ...assistant, content: '' }] }],
      },
    ];
    await writeFile(join(folder, 'rows.jsonl'), renderLines(rows));
    const [row] = await read('rows.jsonl');
    expect(row?.prior_interactions[0]?.dialogue[1]?.content).toBe('');
    expect(Object.keys(row ?? {})).toEqual(Object.keys(sound));
  });

  test('two rows with one key name each other', async () => {
    const rows = [
      buildSoundInstance(0),
      buildSoundInstance(1),
      { ...buildSoundInstance(2), persona_id: buildSoundInstance(3).persona_id, instance_type: 'consistent' },
      buildSoundInstance(3),
    ];
    expect(await problemsOf(rows)).toEqual([
      'rows.jsonl, line 4, fields persona_id and instance_type: "3+real_estate_developer" and "consistent" already occur together in rows.jsonl, line 3. ' +
        'They are the key of a row: leave one of the two out, or give it another persona_id.',
      REMEDY,
    ]);
  });

  test('twenty problems are reported, the others counted', async () => {
    const rows = buildInstances(25).map((row) => ({ ...row, current_request: '' }));
    const problems = await problemsOf(rows);
    expect(problems.slice(18)).toEqual([
      'rows.jsonl, line 19, field current_request: expected a text, found an empty one.',
      'rows.jsonl, line 20, field current_request: expected a text, found an empty one.',
      'and 5 more problems like these.',
      REMEDY,
    ]);
  });

  test('after the first problem no instance is given, though all rows are checked', async () => {
    await writeFile(
      join(folder, 'rows.jsonl'),
      renderLines([
        buildSoundInstance(0),
        { ...buildSoundInstance(1), persona_id: '' },
        buildSoundInstance(2),
        4,
      ]),
    );
    const dataSet = await openData(join(folder, 'rows.jsonl'), { report: () => undefined, environment: {} });
    const given: Instance[] = [];
    await expect(async () => {
      for await (const row of readInstances(dataSet)) given.push(row);
    }).rejects.toThrow(/line 2[^]*line 4/);
    expect(given).toEqual([buildSoundInstance(0)]);
  });

  test.each([
    ['Parquet', 'test.parquet', writeParquet],
    ['Arrow', 'test.arrow', writeArrow],
  ])('null at any depth is nothing, not empty: %s', async (_form, name, write) => {
    const first = { context_factor: 'a', contextual_preference: 'b' };
    const gaps: Gappy<Instance>[] = [
      { ...buildSoundInstance(0), persona_id: null },
      { ...buildSoundInstance(1), current_checklist: null },
      { ...buildSoundInstance(2), prior_interactions: null },
      { ...buildSoundInstance(3), prior_interactions: [null] },
      { ...buildSoundInstance(4), prior_interactions: [{ ...first, dialogue: null }] },
      { ...buildSoundInstance(5), prior_interactions: [{ ...first, dialogue: [null] }] },
      {
        ...buildSoundInstance(6),
        prior_interactions: [{ ...first, context_factor: null, dialogue: [{ role: null, content: null }] }],
      },
    ];
    await write<Gappy<Instance>>(join(folder, name), INSTANCE_COLUMNS, gaps);
    const problems = await problemsIn(name);
    expect(problems.map((problem) => problem.replace(`${name}, `, ''))).toEqual([
      'row 1, field persona_id: expected a text, found nothing.',
      'row 2, field current_checklist: expected a list, found nothing.',
      'row 3, field prior_interactions: expected a list, found nothing.',
      'row 4, field prior_interactions[0]: expected an object, found nothing.',
      'row 5, field prior_interactions[0].dialogue: expected a list, found nothing.',
      'row 6, field prior_interactions[0].dialogue[0]: expected an object, found nothing.',
      'row 7, field prior_interactions[0].context_factor: expected a text, found nothing.',
      'row 7, field prior_interactions[0].dialogue[0].role: expected one of "user", "assistant", found nothing.',
      'row 7, field prior_interactions[0].dialogue[0].content: expected a text, found nothing.',
      REMEDY,
    ]);
  });
});

/** A value with null at any place. */
type Gappy<Value> = Value extends readonly (infer Element)[]
  ? (Gappy<Element> | null)[]
  : Value extends object
    ? { [Name in keyof Value]: Gappy<Value[Name]> | null }
    : Value;

/** Adds a second field `role` to the structs within a column. */
function repeatRole(field: Field): Field {
  const repeat = (type: DataType): DataType => {
    if (DataType.isList(type)) return new List(new Field(type.valueField.name, repeat(type.valueType), true));
    if (!DataType.isStruct(type)) return type;
    const children = type.children.map((child: Field) => new Field(child.name, repeat(child.type), true));
    return new Struct<TypeMap>([...children, ...children.filter(({ name }) => name === 'role')]);
  };
  return new Field(field.name, repeat(field.type), true);
}

function encodeColumn(type: DataType): Uint8Array {
  return tableToIPC(new Table(new Schema([new Field('column', type, true)])), 'file');
}

describe('files', () => {
  test.each([
    ['Parquet', 'raw.parquet', (file: string) => writeParquet(file, RECORD_COLUMNS, [recordRow(1)])],
    ['Arrow', 'raw.arrow', (file: string) => writeArrow(file, RECORD_COLUMNS, [recordRow(1)])],
  ])('%s: all missing columns are named, with those that are there', async (_form, name, write) => {
    await write(join(folder, name));
    expect(await problemsIn(name)).toEqual([
      `${name} has no columns instance_type, current_request, current_context_factor, current_contextual_preference, ` +
        'current_checklist, prior_interactions; it has persona_id, persona, context_factors, sessions, interactions. ' +
        'Rename or add columns to match those of CUPID.',
    ]);
  });

  test.each([
    ['a column', INSTANCE_COLUMNS.fields, 'persona_id'],
    ['a field within lists', INSTANCE_COLUMNS.fields.map(repeatRole), 'prior_interactions[].dialogue[].role'],
  ])('%s that is there twice is named, because either could be right', async (_what, fields, name) => {
    const columns = new Schema([...fields, ...fields.filter((field) => field.name === name)]);
    for (const [file, write] of [
      ['twice.parquet', writeParquet],
      ['twice.arrow', writeArrow],
    ] as const) {
      await write(join(folder, file), columns, []);
      expect(await problemsIn(file)).toEqual([
        `${file} has more than one column ${name}. Keep one of each name, and remove or rename the others.`,
      ]);
    }
  });

  test('columns of another type are reported row by row', async () => {
    const columns = [
      'instance_type',
      'current_request',
      'current_context_factor',
      'current_contextual_preference',
      'current_checklist',
      'prior_interactions',
    ];
    const table = tableFromArrays({
      persona_id: Int32Array.of(7, 8),
      ...Object.fromEntries(columns.map((name) => [name, Float64Array.of(1, 2)])),
    });
    await writeFile(join(folder, 'numbers.arrow'), tableToIPC(table, 'file'));
    const problems = await problemsIn('numbers.arrow');
    expect(problems[0]).toBe('numbers.arrow, row 1, field persona_id: expected a text, found 7.');
    expect(problems).toContain('numbers.arrow, row 2, field current_checklist: expected a list, found 2.');
    expect(problems).toHaveLength(15);
  });

  test.each([
    ['Parquet', 'test.parquet', (file: string) => writeParquet(file, INSTANCE_COLUMNS, [])],
    ['Arrow', 'test.arrow', (file: string) => writeArrow(file, INSTANCE_COLUMNS, [])],
    ['JSON lines', 'test.jsonl', (file: string) => writeFile(file, '\n \n')],
  ])('no rows: %s', async (_form, name, write) => {
    await write(join(folder, name));
    expect(await problemsIn(name)).toEqual([`${name}: no rows. Choose a data set that has instances.`]);
  });

  describe.each([
    ['Parquet', 'test.parquet', (file: string) => writeParquet(file, INSTANCE_COLUMNS, buildInstances(150))],
    ['Arrow', 'test.arrow', (file: string) => writeArrow(file, INSTANCE_COLUMNS, buildInstances(150))],
  ])('%s', (form, name, write) => {
    test.each([-1, -4, -8, -5000, 5000, 100, 20])('cut off at byte %i', async (at) => {
      const file = join(folder, name);
      await write(file);
      const whole = await readFile(file);
      await writeFile(file, whole.subarray(0, at));
      const [problem, ...others] = await problemsIn(name);
      expect(problem).toMatch(
        new RegExp(
          `^${name} begins as ${form} but is damaged or cut off \\(.+\\)\\. Download or write it again\\.$`,
        ),
      );
      expect(others).toEqual([]);
    });

    test('damaged in the middle', async () => {
      const file = join(folder, name);
      await write(file);
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0x5a, 2000, 8000));
      expect((await problemsIn(name)).join('\n')).toMatch(
        form === 'Parquet'
          ? /begins as Parquet but is damaged or cut off/
          : /begins as Arrow but is damaged|expected|UTF-8/,
      );
    });

    test('empty', async () => {
      await writeFile(join(folder, name), '');
      expect(await problemsIn(name)).toEqual([`${name} is empty: 0 bytes. Download or write it again.`]);
    });

    test('something else by that name', async () => {
      await writeFile(join(folder, name), renderLines(buildInstances(3)));
      expect((await problemsIn(name))[0]).toMatch(
        new RegExp(`^${name} is not an? ${form} file, although its name ends so\\. Rename it to what it is`),
      );
    });

    test("Git LFS's pointer in its place", async () => {
      await writeFile(
        join(folder, name),
        'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12800000\n',
      );
      expect((await problemsIn(name))[0]).toMatch(/is a Git LFS pointer, not the data\. Run "git lfs pull"/);
    });
  });

  test('a type of Arrow that the library does not read is named', async () => {
    const [bytes, others] = [encodeColumn(new Utf8()), encodeColumn(new LargeUtf8())];
    // They differ in the number of the type, and 25 is the number of list views.
    await writeFile(
      join(folder, 'views.arrow'),
      bytes.map((byte, index) => (byte === others[index] ? byte : 25)),
    );
    expect(await problemsIn('views.arrow')).toEqual([
      "views.arrow has a column of Arrow's type ListView, which cannot be read. " +
        'Write the table as Parquet, or this column with a plain type, such as list or text.',
    ]);
  });

  test('an Arrow stream that was cut off is not taken for a short one', async () => {
    const file = join(folder, 'stream.arrow');
    const table = tableFromArrays({ persona_id: ['a'] });
    await writeFile(file, tableToIPC(table, 'stream').subarray(0, -8));
    expect((await problemsIn('stream.arrow'))[0]).toMatch(/it does not end as Arrow does/);
  });

  test('a line that is not JSON is named, and so is one that is not UTF-8; the lines between are checked', async () => {
    const file = join(folder, 'rows.jsonl');
    await writeFile(file, `\ufeff${JSON.stringify(buildSoundInstance(0))}\r\n\r\n{"persona_id":\n5\n`);
    await appendFile(file, Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    expect(await problemsIn('rows.jsonl')).toEqual([
      expect.stringMatching(
        /^rows\.jsonl, line 3: not JSON: .+\. A row must be one complete JSON object\. If the file is cut off/,
      ),
      'rows.jsonl, line 4, expected an object, found 5.',
      'rows.jsonl, line 5: not UTF-8. Decompress the file if it is compressed, and save it as UTF-8.',
      REMEDY,
    ]);
  });

  test('a JSON list is distinguished from JSON lines', async () => {
    await writeFile(join(folder, 'rows.jsonl'), JSON.stringify(buildInstances(3), null, 2));
    expect(await problemsIn('rows.jsonl')).toEqual([
      'rows.jsonl begins with "[", so it is one JSON list. Rename it to .json, or write one JSON object per line (JSON Lines).',
    ]);
  });

  test.each<[string, (rows: readonly string[]) => string]>([
    ['a compact list', (rows) => `[${rows.join(',')}]`],
    ['an indented list with a byte order mark', (rows) => `\ufeff [\r\n  ${rows.join(' ,\n  ')}\n]\n\n`],
    ['lines', (rows) => rows.join('\n')],
  ])('%s as .json gives the same rows', async (_form, render) => {
    // Brackets, quotes and commas within texts are no separators.
    const rows = buildInstances(3).map((one) => ({ ...one, current_request: '],[ "a\\" , {é}' }));
    await writeFile(join(folder, 'rows.json'), render(rows.map((row) => JSON.stringify(row))));
    expect(await read('rows.json')).toEqual(rows);
  });

  test.each<[string, string, string | RegExp]>([
    ['an item that is not JSON', '[{"a":], 5]', /^rows\.json, row 1: not JSON/],
    ['a list that breaks off', '[ROW, {"a"', /ends within its JSON list, after 1 complete item/],
    ['lists one after the other', '[ROW][ROW]', /several JSON lists, .* python -c/],
    ['text after the list', '[ROW] x', /goes on after its JSON list/],
    ['nothing in it', '[ ]', /no rows\./],
  ])('of a JSON list, %s is named', async (_what, text, problem) => {
    const row = JSON.stringify(buildSoundInstance(0));
    await writeFile(join(folder, 'rows.json'), text.replaceAll('ROW', row));
    expect((await problemsIn('rows.json'))[0]).toMatch(problem);
  });

  test('of several files each is named by its own rows, and keys count over all of them', async () => {
    await writeFile(
      join(folder, 'test-00000-of-00002.jsonl'),
      renderLines([buildSoundInstance(0), buildSoundInstance(1)]),
    );
    await writeFile(
      join(folder, 'test-00001-of-00002.jsonl'),
      renderLines([buildSoundInstance(2), buildSoundInstance(1)]),
    );
    expect((await problemsIn(''))[0]).toMatch(
      /^test-00001-of-00002\.jsonl, line 2, .* already occur together in test-00000-of-00002\.jsonl, line 2\./,
    );
  });
});

describe('provenance', () => {
  test('names the model that wrote each instance and whether any was simulated, by persona and type', async () => {
    const file = join(folder, 'provenance.parquet');
    await writeParquet(file, PROVENANCE_COLUMNS, buildNumbered(3, buildProvenanceRow));
    const origins = await readProvenance(file);
    expect([...origins]).toEqual([
      ['0+baker\u0000changing', { synthesizer: 'simulated:default', simulated: true }],
      ['1+baker\u0000changing', { synthesizer: 'simulated:default', simulated: false }],
      ['2+baker\u0000changing', { synthesizer: 'simulated:default', simulated: true }],
    ]);
  });

  test('is read as it was written', async () => {
    const file = join(folder, 'provenance.parquet');
    const rows = buildNumbered(3, buildProvenanceRow);
    await writeParquet(file, PROVENANCE_COLUMNS, rows);
    expect(await collect(readWholeProvenance(file))).toEqual([...rows]);
  });

  test('a table of something else is refused', async () => {
    const file = join(folder, 'provenance.parquet');
    await writeParquet(file, INSTANCE_COLUMNS, buildInstances(1));
    await expect(readProvenance(file)).rejects.toThrow(
      'has no columns synthesis_model, simulated; it has persona_id,',
    );
  });

  test('a value that is none is named by row and field', async () => {
    const file = join(folder, 'provenance.parquet');
    await writeParquet<Gappy<Provenance>>(file, PROVENANCE_COLUMNS, [
      buildProvenanceRow(0),
      { ...buildProvenanceRow(1), simulated: null },
    ]);
    await expect(readProvenance(file)).rejects.toThrow(/provenance\.parquet, row 2, field simulated: /);
  });
});
