import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readInstances, readRecords } from '../../../data/sets/read';
import { DataError } from '../../../data/store/data-error';
import { openData } from '../../../data/sets/open';
import { getSplit } from '../../../data/sets/persona-split';
import { exportData, type ExportRequest } from '../../../publishing/export';
import { createTemporaryFolder } from '../../temporary-folder';
import { collect } from '../data/sets/instances';
import { AROUND, writeRun } from './edge-data';
import { buildSoundInstances, buildSoundRecords } from './sound-data';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
const RECORDS = buildSoundRecords(8);
const INSTANCES = buildSoundInstances(8);
const [FIRST = '', SECOND = '', THIRD = ''] = RECORDS.map(({ persona_id: id }) => id);
const ofSplit = RECORDS.filter(({ persona_id: id }) => getSplit(id) === 'train');

beforeAll(() => writeRun(run, RECORDS));

let made = 0;
async function exportChosen(data: string, options: Omit<ExportRequest, 'format' | 'outputDir'>) {
  made += 1;
  const outputDir = join(folder, `out-${made}`);
  const report = await exportData(join(run, data), { format: 'jsonl', outputDir, ...options }, AROUND);
  const card = readFileSync(join(outputDir, 'README.md'), 'utf8');
  return { report, card, dataSet: await openData(outputDir, AROUND) };
}

function writeList(text: string | Uint8Array): string {
  made += 1;
  const file = join(folder, `ids-${made}.txt`);
  writeFileSync(file, text);
  return file;
}

test('a split has the instances and the records of the same personas, and the card says so', async () => {
  expect(ofSplit.length).toBeGreaterThan(0);
  const { dataSet, card, report } = await exportChosen('CUPID-Unverified', { split: 'train' });
  expect(await collect(readInstances(dataSet))).toEqual(
    INSTANCES.filter((row) => ofSplit.some((record) => record.persona_id === row.persona_id)),
  );
  expect(report.notes).toEqual(['Only personas of the split train were exported.']);
  expect(card).toContain('## Selection\n\nOnly personas of the split train were exported. Statistics');
  const records = await collect(readRecords((await exportChosen('CUPID-Raw', { split: 'train' })).dataSet));
  expect(records.map(({ persona_id: id }) => id)).toEqual(ofSplit.map((record) => record.persona_id));
});

test.each([
  ['a text', () => `\uFEFF${THIRD}\r\n\n  ${FIRST}  \n${THIRD}`],
  ['a JSON list', () => ` ${JSON.stringify([THIRD, FIRST, THIRD], null, 2)}\n`],
])('%s lists personas in any order', async (_, render) => {
  const { dataSet, card } = await exportChosen('CUPID-Raw', { wherePersona: writeList(render()) });
  const records = await collect(readRecords(dataSet));
  expect(records.map(({ persona_id: id }) => id)).toEqual([FIRST, THIRD]);
  expect(card).toContain('Only 2 listed personas were exported.');
});

test('a list and a split choose what is in both', async () => {
  const [chosen = ''] = ofSplit.map((record) => record.persona_id);
  const [other = ''] = RECORDS.flatMap(({ persona_id: id }) => (getSplit(id) === 'train' ? [] : id));
  const options = { wherePersona: writeList(`${chosen}\n${other}`), split: 'train' } as const;
  const { dataSet, report } = await exportChosen('CUPID-Raw', options);
  expect((await collect(readRecords(dataSet))).map(({ persona_id: id }) => id)).toEqual([chosen]);
  expect(report.notes).toEqual(['Only those of 2 listed personas in the split train were exported.']);
  const none = exportChosen('CUPID-Raw', { wherePersona: writeList(other), split: 'train' });
  await expect(none).rejects.toThrow('has no persona of the split train. Choose another split.');
});

test.each([
  ['', 'has no persona ids. Write one persona id per line, or a JSON list of persona ids.'],
  ['[]', 'has no persona ids.'],
  [`${FIRST}\n\n9+other\n`, ', line 3: '],
  [
    `${FIRST}\n\n9+other\n`,
    ` has no persona "9+other". Write ids as in its column persona_id, such as ${FIRST} or ${SECOND}.`,
  ],
  [JSON.stringify([FIRST, '9+other']), ', entry 2: '],
  [JSON.stringify([FIRST, 9]), ', entry 2: expected a text, found 9. Write one persona id per line'],
  [JSON.stringify([FIRST, '']), ', entry 2: expected a persona id, found an empty text. Write'],
  [`["${FIRST}"`, 'ids'],
  [Buffer.from([0x50, 0xff, 0x0a]), ', row 1: not UTF-8. Write one persona id per line'],
])('%j is refused: %s', async (text, says) => {
  const exporting = exportChosen('CUPID-Raw', { wherePersona: writeList(text) });
  await expect(exporting).rejects.toThrow(DataError);
  await expect(exporting).rejects.toThrow(says);
});
