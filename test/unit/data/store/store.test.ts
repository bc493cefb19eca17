import files from 'node:fs/promises';
import { join } from 'node:path';
import { withFileName } from '../../../../data/store/system-error';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

/** Paths of the folders that were synced, in order. */
const mockSynced: string[] = [];

jest.mock('node:fs', () => {
  const fs = jest.requireActual<typeof import('node:fs')>('node:fs');
  const folders = new Map<number, string>();
  return {
    ...fs,
    open: (path: string, flags: string, done: (error: Error | null, descriptor: number) => void) =>
      fs.open(path, flags, (error, descriptor) => {
        if (flags === 'r') folders.set(descriptor, path);
        else folders.delete(descriptor);
        done(error, descriptor);
      }),
    fsync: (descriptor: number, done: (error: Error | null) => void) => {
      const synced = folders.get(descriptor);
      if (synced !== undefined) mockSynced.push(synced);
      fs.fsync(descriptor, done);
    },
  };
});

describe('a file in a folder that is new', () => {
  test.each<[string, (store: ReturnType<typeof createFolderStore>) => Promise<unknown>]>([
    ['created', (store) => store.create('.cupid/journal/run/a.json', '{}')],
    ['written', (store) => store.write('.cupid/journal/run/a.json', '{}')],
  ])('is %s with every folder on the way synced, up to the one that was there', async (how, write) => {
    const root = join(folder, how);
    await files.mkdir(root);
    const store = createFolderStore(root);
    mockSynced.length = 0;
    const listSynced = () => mockSynced.map((path) => path.slice(root.length) || '/');
    await write(store);
    expect(listSynced()).toEqual(['/.cupid/journal', '/.cupid', '/', '/.cupid/journal/run']);
    mockSynced.length = 0;
    await store.write('.cupid/journal/run/b.json', '{}');
    expect(listSynced()).toEqual(['/.cupid/journal/run']);
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
