import fs from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { withFileName } from '../../../../data/store/system-error';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

afterEach(() => jest.restoreAllMocks());

/** Returns the inodes of the folders that are synced from now on, in order. */
function spyOnSyncs(): number[] {
  const synced: number[] = [];
  const { fsync } = fs;
  jest.spyOn(fs, 'fsync').mockImplementation((descriptor, done) => {
    const stats = fs.fstatSync(descriptor);
    if (stats.isDirectory()) synced.push(stats.ino);
    fsync(descriptor, done);
  });
  return synced;
}

describe('a file in a folder that is new', () => {
  test.each<[string, (store: ReturnType<typeof createFolderStore>) => Promise<unknown>]>([
    ['created', (store) => store.create('.cupid/journal/run/a.json', '{}')],
    ['written', (store) => store.write('.cupid/journal/run/a.json', '{}')],
  ])('is %s with every folder on the way synced, up to the one that was there', async (how, write) => {
    const root = join(folder, how);
    await files.mkdir(root);
    const store = createFolderStore(root);
    const synced = spyOnSyncs();
    const listInodes = (...paths: string[]) => paths.map((path) => fs.statSync(join(root, path)).ino);
    await write(store);
    expect(synced).toEqual(listInodes('.cupid/journal', '.cupid', '', '.cupid/journal/run'));
    synced.length = 0;
    await store.write('.cupid/journal/run/b.json', '{}');
    expect(synced).toEqual(listInodes('.cupid/journal/run'));
  });
});

test.each(['ENOSPC', 'EDQUOT', 'EIO'])(
  'an error of the disk (%s) that names no file is given its name, once',
  (code) => {
    const error = Object.assign(new Error(`${code}: no space left on device, write`), { code });
    withFileName(error, '/runs/one/ledger');
    withFileName(error, '/runs/one/ledger');
    expect(error.message).toBe(`${code}: no space left on device, write '/runs/one/ledger'`);
  },
);

test('other errors, and those that name a file, stay as they are', () => {
  const named = Object.assign(new Error("ENOSPC: no space left on device, open '/a'"), {
    code: 'ENOSPC',
    path: '/a',
  });
  expect(withFileName(named, '/b')).toMatchObject({ message: "ENOSPC: no space left on device, open '/a'" });
  expect(withFileName(new TypeError('x'), '/b')).toMatchObject({ message: 'x' });
  expect(withFileName('x', '/b')).toBe('x');
});
