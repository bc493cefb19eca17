import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { placeOutputs, listTakenPaths } from '../../../../data/run/place-outputs';
import { readOutputRecord, writeOutputRecord } from '../../../../data/outputs/output-record';
import { createTemporaryFolder } from '../../../temporary-folder';

const root = createTemporaryFolder();
let folder: string;
let number = 0;
beforeEach(() => {
  number += 1;
  folder = join(root, `run-${number}`);
});

const TABLE = 'data/test.parquet';
const CARD = 'data/README.md';
const NOTE = 'failures/0000001.json';
const FIRST = { [TABLE]: 'one', [CARD]: card(1), [NOTE]: 'failed' };
const SECOND = { [TABLE]: 'two', [CARD]: card(2), [NOTE]: 'failed' };
const NOTHING = { writtenFiles: [], foreignFiles: [], withheldFiles: [] };

test('outputs that nobody touched are written, replaced and removed, with the directories that are empty then', async () => {
  expect(await place(FIRST)).toEqual({ ...NOTHING, writtenFiles: [TABLE, CARD, NOTE] });
  expect(await place(FIRST)).toEqual(NOTHING);
  expect(await place({ [TABLE]: 'two', [CARD]: card(2) })).toEqual({
    ...NOTHING,
    writtenFiles: [TABLE, CARD],
  });
  expect(await textOf(TABLE)).toBe('two');
  expect(existsSync(join(folder, 'failures'))).toBe(false);
});

test('a file that was changed is left, with those that belong to it, until it is moved away', async () => {
  await place(FIRST);
  await put(TABLE, 'edited');
  expect(await place(FIRST)).toEqual({ ...NOTHING, foreignFiles: [TABLE] });
  expect(await place(SECOND)).toEqual({ ...NOTHING, foreignFiles: [TABLE], withheldFiles: [TABLE, CARD] });
  expect([await textOf(TABLE), await textOf(CARD)]).toEqual(['edited', card(1)]);
  await rm(join(folder, TABLE));
  expect(await place(SECOND)).toEqual({ ...NOTHING, writtenFiles: [TABLE, CARD] });
});

test('a missing file is written beside an edited one, unless the edited one describes older contents', async () => {
  await place(FIRST);
  await put(CARD, `${card(1)}A note.\n`);
  await rm(join(folder, TABLE));
  expect(await place(FIRST)).toEqual({ ...NOTHING, foreignFiles: [CARD], writtenFiles: [TABLE] });
  await rm(join(folder, TABLE));
  expect(await place(SECOND)).toEqual({ ...NOTHING, foreignFiles: [CARD], withheldFiles: [TABLE, CARD] });
  expect(existsSync(join(folder, TABLE))).toBe(false);
});

test('a record that names a file outside the folder, as a received one may, is rejected, and the file stays', async () => {
  await place(FIRST);
  const outside = join(root, `outside-${number}`);
  await writeFile(outside, 'failed');
  const written = await readOutputRecord(folder);
  for (const path of [`../outside-${number}`, `failures/../../outside-${number}`, outside]) {
    await writeOutputRecord(folder, { ...written, [path]: written[NOTE] ?? [] });
    await expect(place(FIRST)).rejects.toThrow('outputs.json');
  }
  expect(await readFile(outside, 'utf8')).toBe('failed');
});

test('without the record, which its error has deleted when it is damaged, outputs that changed since are left until they are deleted', async () => {
  await place(FIRST);
  const record = join(folder, '.cupid', 'outputs.json');
  await writeFile(record, '{"data/te');
  await expect(place(FIRST)).rejects.toThrow(/outputs\.json is damaged:\n.*\nDelete it and repeat/);
  await rm(record);
  expect(await place(FIRST)).toEqual(NOTHING);
  await rm(record);
  expect(await place(SECOND)).toMatchObject({ foreignFiles: [TABLE, CARD], withheldFiles: [TABLE, CARD] });
  await Promise.all([TABLE, CARD].map((path) => rm(join(folder, path))));
  expect(await place(SECOND)).toEqual({ ...NOTHING, writtenFiles: [TABLE, CARD] });
});

test('a file of another origin is left where the run never wrote one, and so is a changed one that is not made anymore', async () => {
  await put(NOTE, 'of another origin');
  await put('failures/p7 notes.json', 'mine');
  expect(await place(FIRST)).toEqual({
    writtenFiles: [TABLE, CARD],
    foreignFiles: [NOTE],
    withheldFiles: [NOTE],
  });
  await rm(join(folder, NOTE));
  await place(FIRST);
  await put(NOTE, 'annotated');
  expect(await place({})).toMatchObject({ foreignFiles: [NOTE] });
  // Reported once, and no longer an output of this run.
  expect(await place({})).toEqual(NOTHING);
  expect([await textOf(NOTE), await textOf('failures/p7 notes.json')]).toEqual(['annotated', 'mine']);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('what a killed process had replaced is the run’s own, as is what it had not', async () => {
  await place(FIRST);
  const before = await readOutputRecord(folder);
  await place(SECOND);
  // As recorded while files are being replaced.
  const both = { ...before };
  for (const [path, hashes] of Object.entries(await readOutputRecord(folder))) {
    both[path] = [...(both[path] ?? []), ...hashes];
  }
  await writeOutputRecord(folder, both);
  await put(TABLE, 'one');
  expect(await place({ ...SECOND, [TABLE]: 'three', [CARD]: card(3) })).toEqual({
    ...NOTHING,
    writtenFiles: [TABLE, CARD],
  });
});

test('a license is the user’s to choose: the card counts as the run’s own, and keeps it', async () => {
  await place(FIRST);
  const licensed = card(1, 'license: other\nlicense_name: ours\nlicense_link: LICENSE\n');
  await put(CARD, licensed);
  expect(await place(FIRST)).toEqual(NOTHING);
  expect(await textOf(CARD)).toBe(licensed);
  expect(await place(SECOND)).toMatchObject({ writtenFiles: [TABLE, CARD] });
  const text = await textOf(CARD);
  expect(text).toContain('license: other\n');
  expect(text).toContain('license_name: ours\n');
  expect(text).toContain('Version 2.');
});

test('taken paths are those with a file, with files in a directory, or below a file', async () => {
  expect(await listTakenPaths(folder, [TABLE, 'failures'])).toEqual([]);
  await mkdir(join(folder, 'failures'), { recursive: true });
  expect(await listTakenPaths(folder, [TABLE, 'failures'])).toEqual([]);
  await put(NOTE, 'any');
  await put('data', 'a file');
  await symlink('nowhere', join(folder, 'results.json'));
  expect(await listTakenPaths(folder, [TABLE, CARD, 'failures', 'results.json'])).toEqual([
    'data',
    'failures',
    'results.json',
  ]);
});

/** Places contents. The data set's two files belong together; each other file stands alone. */
async function place(contents: Readonly<Record<string, string>>) {
  const made = join(folder, '.cupid', 'scratch');
  const outputs = Object.keys(contents).map((path) => ({ path, newFile: join(made, path) }));
  for (const { path } of outputs) await put(join('.cupid', 'scratch', path), contents[path] ?? '');
  return placeOutputs(folder, [
    outputs.filter(({ path }) => path.startsWith('data/')),
    ...outputs.filter(({ path }) => !path.startsWith('data/')).map((output) => [output]),
  ]);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const textOf = (path: string) => readFile(join(folder, path), 'utf8');

function card(version: number, license = 'license: mit\n'): string {
  return `---\n${license}tags:\n  - cupid\n---\n\nVersion ${version}.\n`;
}
