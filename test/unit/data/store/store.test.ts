import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { FolderMoved, withFileName } from '../../../../data/store/system-error';
import { createFolderStore, makeDurableFolder } from '../../../../data/store/store';
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

describe('a folder', () => {
  test('is made with its missing ancestors, and the uppermost new one is returned', async () => {
    const root = join(folder, 'ancestors');
    mkdirSync(root);
    await expect(makeDurableFolder(join(root, 'a', 'b', 'c'))).resolves.toBe(join(root, 'a'));
    await expect(makeDurableFolder(join(root, 'a', 'b', 'd'))).resolves.toBe(join(root, 'a', 'b', 'd'));
    await expect(makeDurableFolder(join(root, 'a', 'b'))).resolves.toBeUndefined();
  });

  test('that others make at the same moment is no problem', async () => {
    const shared = join(folder, 'shared', 'b');
    await Promise.all([makeDurableFolder(shared), makeDurableFolder(shared), makeDurableFolder(shared)]);
    expect(existsSync(shared)).toBe(true);
  });

  test('is not made in a file, or in its place', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(makeDurableFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeDurableFolder(join(file, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  test('is not made where none can be, as in /proc, which ends with an error', async () => {
    jest.spyOn(files, 'mkdir').mockImplementation((_path, options) =>
      // The recursive `mkdir` of Node.js 20 never ends there.
      typeof options === 'object' && options?.recursive === true
        ? new Promise(() => undefined)
        : Promise.reject(Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' })),
    );
    await expect(makeDurableFolder(join(folder, 'none', 'b'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
