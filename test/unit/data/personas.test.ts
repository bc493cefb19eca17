import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPersonas } from '../../../data/personas';
import { DataError } from '../../../data/sets/error';
import { RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
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

test.each<[what: string, name: string, content: string | Buffer, parts: string[]]>([
  ['no row', 'people.jsonl', '\n', ['contains no persona', 'description']],
  ['another ending', 'people.txt', GOOD, ['must end in .csv, .parquet']],
  ['not JSON', 'people.jsonl', `${GOOD}{"descr`, ['line 2: not JSON']],
  [
    'no description',
    'people.jsonl',
    `${GOOD}{"occupation": "Cook"}`,
    ['line 2, field description: expected a text, found nothing', '"occupation":"…"'],
  ],
  [
    'an empty occupation',
    'people.jsonl',
    '{"description": "x", "occupation": " "}',
    ['line 1, field occupation: expected a text that is not empty'],
  ],
  [
    'a number',
    'people.jsonl',
    '{"description": 7, "occupation": "Cook"}',
    ['field description: expected a text, found 7'],
  ],
  [
    'an occupation of two lines',
    'people.jsonl',
    '{"description": "x", "occupation": "Cook\\nand baker"}',
    ['field occupation: expected an occupation on one line'],
  ],
  [
    'a control character',
    'people.jsonl',
    '{"description": "x\\u0000", "occupation": "Cook"}',
    ['line 1, field description', 'the control character U+0000'],
  ],
  [
    'half a character',
    'people.jsonl',
    '{"description": "\\ud83d", "occupation": "Cook"}',
    ['field description', 'surrogate'],
  ],
  [
    'a description of a book',
    'people.jsonl',
    JSON.stringify({ description: 'x'.repeat(20_001), occupation: 'Cook' }),
    ['20,001 characters, expected at most 20,000'],
  ],
  ['the same persona twice', 'people.jsonl', GOOD + GOOD, ['line 2, field description', 'of line 1']],
  [
    'part of a template',
    'people.jsonl',
    JSON.stringify({ ...LENA, ...DRAWN, seed: '' }),
    ['line 1, field seed: expected a value', 'or none of them'],
  ],
  [
    'an unknown value of a template',
    'people.jsonl',
    JSON.stringify({ ...LENA, ...DRAWN, career_level: 'boss' }),
    ['line 1, field career_level: expected one of', 'found "boss"'],
  ],
  [
    'a CSV row of another length',
    'people.csv',
    'description,occupation\nx\n',
    ['people.csv is not comma-separated values', 'quotation marks'],
  ],
  ['CSV without a column', 'people.csv', 'description\nx\n', ['row 1, field occupation: expected a text']],
  ['CSV that is not UTF-8', 'people.csv', Buffer.from([0x61, 0xff]), ['people.csv: not UTF-8']],
  ['not Parquet', 'people.parquet', 'description', ['people.parquet']],
])('%s is refused by file, row and field', async (_what, name, content, parts) => {
  const path = await file(name, content);
  const reading = readPersonas(path);
  await expect(reading).rejects.toThrow(DataError);
  for (const part of [path, ...parts]) await expect(reading).rejects.toThrow(part);
});

test.each(['none.csv', 'none.jsonl'])('a file that is not there is named: %s', async (name) => {
  await expect(readPersonas(join(folder, name))).rejects.toThrow(`${join(folder, name)} cannot be read`);
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
