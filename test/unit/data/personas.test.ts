import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPersonas } from '../../../data/personas';
import { DataError } from '../../../data/store/data-error';
import { RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { expectGoldenErrors, type RefusedCall } from '../../golden';
import { createTemporaryFolder } from '../../temporary-folder';
import { drawStructure } from '../../../rules/journey/structure';
import { buildExampleRecord } from '../rules/examples';

const folder = createTemporaryFolder();

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const LENA = { description: 'Lena Okoro is a dispatcher.', occupation: 'Dispatcher' };
const TOM = { description: 'Tom Ruiz keeps bees,\nand "sells" honey.', occupation: 'Beekeeper' };
const NOTHING_DRAWN = {
  seed: '',
  career_level: '',
  personality_traits: [],
  personal_values: [],
  decision_making_styles: '',
};
const DRAWN = {
  seed: 'A dispatcher in Tartu.',
  career_level: 'senior-level/advanced/lead/expert',
  personality_traits: ['High Openness to Experience', 'Low Neuroticism'],
  personal_values: ['Power', 'Security'],
  decision_making_styles: 'Analytical',
};

describe('ready descriptions', () => {
  test('are read from JSON lines, numbered in order, with the template where a row has all of it', async () => {
    const rows = [
      { ...LENA, note: 'x' },
      { ...TOM, ...DRAWN },
    ];
    const path = await file('people.jsonl', rows.map((row) => JSON.stringify(row)).join('\n\n'));
    expect(await readPersonas(path)).toEqual({
      origin: 'personas',
      source: path,
      personas: [
        { id: 1, ...NOTHING_DRAWN, ...LENA },
        { id: 2, ...DRAWN, ...TOM },
      ],
    });
  });

  test('are read from CSV, with quoted line breaks, a byte order mark and Windows line ends', async () => {
    for (const lineBreak of ['\n', '\r\n']) {
      const quoted = TOM.description.replaceAll('"', '""').replaceAll('\n', lineBreak);
      const text = `\ufeffoccupation,description,age\r\nDispatcher,${LENA.description},41\r\n\r\nBeekeeper,"${quoted}",58\n`;
      const path = await file('people.csv', text);
      expect((await readPersonas(path)).personas).toEqual([
        { id: 1, ...NOTHING_DRAWN, ...LENA },
        { id: 2, ...NOTHING_DRAWN, ...TOM },
      ]);
    }
  });

  test('are read from CSV with spaces around the names, and columns without one', async () => {
    const path = await file('people.csv', ` occupation , description ,,\nDispatcher,${LENA.description},,\n`);
    expect((await readPersonas(path)).personas).toEqual([{ id: 1, ...NOTHING_DRAWN, ...LENA }]);
  });

  test('are read from the records of a data set of the form of CUPID-Raw', async () => {
    const record = buildExampleRecord(drawStructure({ nSessions: 9, seed: 1, personaId: 7 }));
    const path = join(folder, 'raw.parquet');
    await writeParquet(path, RECORD_COLUMNS, [record]);
    expect((await readPersonas(path)).personas).toEqual([{ ...record.persona, id: 1 }]);
  });

  test('have one digest however the fields are ordered', async () => {
    const one = await readPersonas(await file('one.jsonl', JSON.stringify(LENA)));
    const { description, occupation } = LENA;
    const other = await readPersonas(await file('other.jsonl', JSON.stringify({ occupation, description })));
    expect(JSON.stringify(other.personas)).toBe(JSON.stringify(one.personas));
  });
});

const GOOD = `${JSON.stringify(LENA)}\n`;

/** Returns a call that reads a file of this content. */
function refuse(what: string, name: string, content: string | Buffer): RefusedCall {
  return [what, async () => readPersonas(await file(name, content))];
}

test('a file that cannot be used is refused by file, row and field', async () => {
  const refuseRow = (what: string, row: string) => refuse(what, 'people.jsonl', row);
  await expectGoldenErrors('refused-personas.txt', folder, DataError, [
    refuse('no row', 'people.jsonl', '\n'),
    refuse('another ending', 'people.txt', GOOD),
    refuseRow('not JSON', `${GOOD}{"descr`),
    refuseRow('no description', `${GOOD}{"occupation": "Cook"}`),
    refuseRow('an empty occupation', '{"description": "x", "occupation": " "}'),
    refuseRow('a number', '{"description": 7, "occupation": "Cook"}'),
    refuseRow('an occupation of two lines', '{"description": "x", "occupation": "Cook\\nand baker"}'),
    refuseRow('a control character', '{"description": "x\\u0000", "occupation": "Cook"}'),
    refuseRow('half a character', '{"description": "\\ud83d", "occupation": "Cook"}'),
    refuseRow('a book', JSON.stringify({ description: 'x'.repeat(20_001), occupation: 'Cook' })),
    refuseRow('the same persona twice', GOOD + GOOD),
    refuseRow('part of a template', JSON.stringify({ ...LENA, ...DRAWN, seed: '' })),
    refuseRow('an unknown value of a template', JSON.stringify({ ...LENA, ...DRAWN, career_level: 'boss' })),
    refuse('a CSV row of another length', 'people.csv', 'description,occupation\nx\n'),
    refuse('CSV without a column', 'people.csv', 'description\nx\n'),
    refuse('CSV with names in other case', 'people.csv', 'Description,occupation\nx,y\n'),
    refuse('CSV with a column twice', 'people.csv', 'description,occupation,description\nx,y,z\n'),
    refuse('CSV with semicolons', 'people.csv', 'description;occupation\nx, z;y\n'),
    refuse('CSV with tabs', 'people.csv', 'description\toccupation\nx\ty\n'),
    refuse('CSV that is not UTF-8', 'people.csv', Buffer.from([0x61, 0xff])),
    refuse('not Parquet', 'people.parquet', 'description'),
    ['no CSV of that name', () => readPersonas(join(folder, 'none.csv'))],
    ['no JSON lines of that name', () => readPersonas(join(folder, 'none.jsonl'))],
  ]);
});

describe('the card of the data set that descriptions are from', () => {
  const CARD =
    '---\nlicense: cc-by-sa-4.0\ntags: [simulated]\nconfigs: [{data_files: data/p-*.jsonl}]\n---\n';

  const NOTHING = { simulated: undefined, license: undefined };

  test.each([
    ['beside the file', 'people.jsonl', CARD, { simulated: true, license: 'cc-by-sa-4.0' }],
    ['above it, which names it', 'data/p-0.jsonl', CARD, { simulated: true, license: 'cc-by-sa-4.0' }],
    ['above it, which names others', 'data/other.jsonl', CARD, NOTHING],
    ['without front matter', 'people.jsonl', '# People\n', NOTHING],
    [
      'with a license of its own',
      'people.jsonl',
      CARD.replace('cc-by-sa-4.0', 'other'),
      { simulated: true, license: 'unknown' },
    ],
    [
      'with its license in a list',
      'people.jsonl',
      CARD.replace('cc-by-sa-4.0', '[cc-by-nc-4.0]'),
      { simulated: true, license: 'cc-by-nc-4.0' },
    ],
    [
      'with a license that the Hub does not know',
      'people.jsonl',
      CARD.replace('cc-by-sa-4.0', 'Do as you like'),
      { simulated: true, license: 'unknown' },
    ],
  ])('says whether they are simulated, and their license (%s)', async (_, path, card, expected) => {
    expect(await readBeside(path, card)).toEqual(expected);
  });
});

async function readBeside(path: string, card: string) {
  const place = await mkdtemp(join(folder, 'set-'));
  await mkdir(join(place, 'data'));
  await writeFile(join(place, 'README.md'), card);
  await writeFile(join(place, path), JSON.stringify(LENA));
  const { simulated, license } = await readPersonas(join(place, path));
  return { simulated, license };
}
