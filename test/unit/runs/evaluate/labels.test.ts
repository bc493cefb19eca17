import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLabels } from '../../../../runs/evaluate/studies/labels';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const pair = { preference: 'Short.', checklist: ['Is it short?'], labels: [['Fully Covered']] };
const corrected = { ...pair, labels: [['Not Covered']] };

async function read(lines: readonly object[]) {
  const file = join(folder, 'labels.jsonl');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return (await readLabels(file)).pairs;
}

test('of a rater’s annotations of a task the latest counts', async () => {
  const anna = { task: '1+cook/preference-1', rater: 'anna' };
  const ben = { ...anna, rater: 'ben' };
  expect(
    await read([
      { ...pair, ...anna },
      { ...pair, ...ben },
      { ...corrected, ...anna },
    ]),
  ).toEqual([corrected, pair]);
});

test('annotations of requests and of the qualification are left out: they say nothing of a matcher', async () => {
  const tasks = ['qualification/1', '1+cook/request-1', '1+cook/preference-2'];
  expect(await read(tasks.map((task) => ({ ...pair, task, rater: 'anna' })))).toEqual([pair]);
});

test('lines that are no annotations all count', async () => {
  expect(await read([pair, corrected, pair])).toEqual([pair, corrected, pair]);
});
