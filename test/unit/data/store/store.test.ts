import files from 'node:fs/promises';
import { join } from 'node:path';
import { FolderMoved, withFileName } from '../../../../data/store/system-error';
import { createFolderStore } from '../../../../data/store/store';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

afterEach(() => jest.restoreAllMocks());

/** Returns the folders that were opened for a sync, in order, from the store's folder on. */
function syncedFolders(root: string): string[] {
  const synced: string[] = [];
  const { open } = files;
  jest.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      if (flags === 'r') synced.push(String(path).slice(root.length) || '/');
      return sync();
    };
    return handle;
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
    const synced = syncedFolders(root);
    const store = createFolderStore(root);
    await write(store);
    expect(synced).toEqual(['/.cupid/journal', '/.cupid', '/', '/.cupid/journal/run']);
    synced.length = 0;
    await store.write('.cupid/journal/run/b.json', '{}');
    expect(synced).toEqual(['/.cupid/journal/run']);
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
  const moved = new FolderMoved('/runs/one', '/runs/one/.cupid/lock');
  expect(withFileName(moved, '/b')).toMatchObject({ message: expect.stringMatching(/new path\.$/) });
});
