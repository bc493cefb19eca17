import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SnapshotFiles } from '../../../../pages/explore/snapshot-files';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

/** Writes a folder with the files that a snapshot reads. */
function writeFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, 'review', 'annotations'), { recursive: true });
  for (const file of ['results.json', 'results.parquet', 'run.json', 'review/annotations/anna.jsonl'])
    writeFileSync(join(path, file), `the content of ${file}`);
  return path;
}

async function watch(path: string, isInProgress = async () => false): Promise<SnapshotFiles> {
  const files = new SnapshotFiles();
  for (const name of ['results.json', 'results.parquet', 'verification.json'])
    await files.watchFile(join(path, name), path);
  await files.watchReview(join(path, 'review'));
  await files.watchRun(path, isInProgress);
  return files;
}

test('copies of the same files have the same name, and other content another one', async () => {
  const path = writeFolder('original');
  const copy = join(folder, 'copy');
  cpSync(path, copy, { recursive: true });
  const { name } = await watch(path);
  expect(name).toMatch(/^[0-9a-f]{12}$/);
  expect((await watch(copy)).name).toBe(name);
  for (const file of ['results.json', 'review/annotations/anna.jsonl']) {
    cpSync(path, copy, { recursive: true });
    writeFileSync(join(copy, file), `other content of ${file}`);
    expect({ file, isSame: (await watch(copy)).name === name }).toEqual({ file, isSame: false });
  }
});

test.each([
  ['is replaced', 'results.json'],
  ['is replaced', 'results.parquet'],
  ['appears', 'verification.json'],
  ['of a rater grows', 'review/annotations/anna.jsonl'],
  ['of another rater appears', 'review/annotations/ben.jsonl'],
  ['of the run is written', 'run.json'],
])('a file that %s is a change: %s', async (_, file) => {
  const path = writeFolder(file.replaceAll('/', ' '));
  const files = await watch(path);
  expect(await files.haveChanged()).toBe(false);
  writeFileSync(join(path, file), 'something else, and longer than what was there before');
  expect(await files.haveChanged()).toBe(true);
});

test('a deleted file is a change, and so is a run that is continued', async () => {
  const path = writeFolder('deleted');
  const files = await watch(path);
  rmSync(join(path, 'results.parquet'));
  expect(await files.haveChanged()).toBe(true);

  let isInProgress = false;
  const runFiles = await watch(writeFolder('continued'), async () => isInProgress);
  expect(await runFiles.haveChanged()).toBe(false);
  isInProgress = true;
  expect(await runFiles.haveChanged()).toBe(true);
  // It ended, but what it wrote may differ.
  isInProgress = false;
  expect(await runFiles.haveChanged()).toBe(true);
});

test('what is read of a file that has changed is refused, whatever its reader says', async () => {
  const path = writeFolder('read');
  const [rows, other] = [join(path, 'results.parquet'), join(path, 'results.json')];
  const files = await watch(path);
  expect(await files.readSame(rows, async () => 'a row')).toBe('a row');
  await expect(files.readSame(rows, () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
  writeFileSync(rows, 'new rows, which are longer than the old ones');
  const refusal = 'results.parquet has changed since this page was opened';
  await expect(files.readSame(rows, async () => 'a row')).rejects.toThrow(refusal);
  await expect(files.readSame(rows, () => Promise.reject(new Error('damaged')))).rejects.toThrow(refusal);
  expect(await files.readSame(other, async () => 'numbers')).toBe('numbers');
});
