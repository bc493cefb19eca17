import { readdirSync } from 'node:fs';
import { SearchFile } from '../../../../pages/explore/search-file';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
process.env['TMPDIR'] = folder;
const MEGABYTES = 4;

test('finds the texts that contain one, whatever its case, and no match across two texts', async () => {
  const file = await SearchFile.create();
  const texts = ['The Quick brown fox', 'jumps over ÄPFEL', 'the lazy dog', ''];
  const numbers: number[] = [];
  for (const text of texts) numbers.push(await file.add(text));
  expect(numbers).toEqual([0, 1, 2, 3]);
  expect([...(await file.find('THE'))]).toEqual([0, 2]);
  expect([...(await file.find('äpfel'))]).toEqual([1]);
  expect([...(await file.find('foxjumps'))]).toEqual([]);
  expect([...(await file.find(''))]).toEqual([]);
  // Added after a search.
  await file.add('the end');
  expect([...(await file.find('the'))]).toEqual([0, 2, 4]);
  await file.close();
});

test('a text that was added lately has one number', async () => {
  const file = await SearchFile.create();
  expect(await file.add('one')).toBe(0);
  expect(await file.add('other')).toBe(1);
  expect(await file.add('one')).toBe(0);
  expect([...(await file.find('o'))]).toEqual([0, 1]);
  await file.close();
});

test('finds what stands on the border of two blocks, and leaves no file', async () => {
  const file = await SearchFile.create();
  const filler = 'x'.repeat(MEGABYTES * 1024 * 1024 - 3);
  await file.add(`${filler}needle`);
  await file.add('needle');
  await file.add('nothing');
  expect([...(await file.find('Needle'))]).toEqual([0, 1]);
  expect(readdirSync(folder)).toEqual([]);
  await file.close();
});
