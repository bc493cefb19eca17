import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { useTemporaryDirectory } from '../../../../data/store/directories';
import { hashFile } from '../../../../data/store/files';
import { takeLock } from '../../../../data/store/lock';
import {
  findEntry,
  IrregularFile,
  listDirectory,
  openFile,
  openFileSync,
  readText,
  readTextIfThere,
  readTextIfThereSync,
  removeFile,
  trackLockedFolder,
} from '../../../../data/store/own-file';
import { createFolderStore, makeDurableFolder, writeAtomically } from '../../../../data/store/store';
import { FolderMoved } from '../../../../data/store/system-error';
import { openLog } from '../../../../workers/telemetry/log';
import { createTemporaryFolder } from '../../../temporary-folder';

const root = createTemporaryFolder();
let number = 0;
/** A foreign folder, with a file beside it that is not part of it. */
let folder: string;
let victim: string;
beforeEach(() => {
  const place = join(root, String((number += 1)));
  folder = join(place, 'folder');
  victim = join(place, 'victim', 'file');
  mkdirSync(join(folder, 'inner'), { recursive: true });
  mkdirSync(join(place, 'victim'));
  writeFileSync(victim, 'precious');
});
afterEach(() => expect(readFileSync(victim, 'utf8')).toBe('precious'));

const TRAPS: [what: string, called: string, set: (path: string) => unknown][] = [
  ['a link to a file', 'a symbolic link', (path) => symlinkSync(victim, path)],
  ['a link without end', 'a symbolic link', (path) => symlinkSync('/dev/zero', path)],
  ['a link to itself', 'a symbolic link', (path) => symlinkSync(path, path)],
  ['a FIFO', 'a FIFO', (path) => spawnSync('mkfifo', [path])],
  ['a directory', 'a directory', (path) => mkdirSync(path)],
];

/** All functions that open or replace a file. */
const USES: Record<string, (path: string) => unknown> = {
  open: (path) => openFile(path, folder),
  append: (path) => openFile(path, folder, 'append'),
  update: async (path) => openFileSync(path, folder, 'update'),
  text: (path) => readText(path, folder),
  'text, if there': (path) => readTextIfThere(path, folder),
  'text at once': async (path) => readTextIfThereSync(path, folder),
  hash: (path) => hashFile(path, folder),
  lock: (path) => takeLock(path, folder),
  log: async (path) => openLog(path, folder),
  write: (path) => writeAtomically(path, 'new', folder),
  'read in a store': () => createFolderStore(join(folder, 'inner'), folder).read('file'),
  'write in a store': () => createFolderStore(join(folder, 'inner'), folder).write('file', 'new'),
  'append in a store': () => createFolderStore(join(folder, 'inner'), folder).append('file', 'new'),
};

describe.each(TRAPS)('%s is refused by name', (_, called, set) => {
  test.each(Object.keys(USES))('to %s', async (use) => {
    const path = join(folder, 'inner', 'file');
    set(path);
    const refusal = await Promise.resolve(USES[use]?.(path)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(IrregularFile);
    expect(refusal).toMatchObject({ message: expect.stringContaining(`${path} is ${called}`) });
  });
});

test.each(Object.keys(USES))('a link on the way to a file is refused by name: %s', async (use) => {
  symlinkSync(join(victim, '..'), join(folder, 'link'));
  const path = join(folder, 'link', 'file');
  const ownStore = createFolderStore(join(folder, 'link'), folder);
  const uses: typeof USES = {
    ...USES,
    'read in a store': () => ownStore.read('file'),
    'write in a store': () => ownStore.write('file', 'new'),
    'append in a store': () => ownStore.append('file', 'new'),
  };
  const refusal = await Promise.resolve(uses[use]?.(path)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    message: expect.stringContaining(`${join(folder, 'link')} is a symbolic link`),
  });
});

test('nothing is listed, made, moved or removed behind a link', async () => {
  symlinkSync(join(victim, '..'), join(folder, 'link'));
  const store = createFolderStore(folder);
  const attempts = await Promise.allSettled([
    listDirectory(join(folder, 'link'), folder),
    makeDurableFolder(join(folder, 'link', 'new'), { within: folder }),
    removeFile(join(folder, 'link', 'file'), folder),
    store.list('link'),
    store.remove(['link/file']),
    store.move('link/file', 'inner/file'),
    store.create('link/new', 'new'),
  ]);
  const refused = { status: 'rejected', reason: expect.any(IrregularFile) };
  expect(attempts).toEqual(attempts.map(() => refused));
});

describe('while the lock of a folder is held', () => {
  let release: () => void;
  beforeEach(() => {
    const lockFile = join(folder, 'lock');
    writeFileSync(lockFile, '');
    release = trackLockedFolder(folder, lockFile);
  });
  afterEach(() => release());

  test('a directory is checked before its first use, and once', async () => {
    symlinkSync(join(victim, '..'), join(folder, 'link'));
    await expect(readText(join(folder, 'link', 'file'), folder)).rejects.toThrow(IrregularFile);
    await expect(readText(join(folder, 'link', 'file'), folder)).rejects.toThrow(IrregularFile);
    const path = join(folder, 'inner', 'file');
    writeFileSync(path, 'own');
    expect(await readText(path, folder)).toBe('own');
    renameSync(join(folder, 'inner'), join(folder, 'moved'));
    symlinkSync('moved', join(folder, 'inner'));
    expect(await readText(path, folder)).toBe('own');
    release();
    await expect(readText(path, folder)).rejects.toThrow(`${join(folder, 'inner')} is a symbolic link`);
  });

  test('a directory that this process removed, or that was missing, is checked again', async () => {
    const store = createFolderStore(folder);
    await store.create('inner/new', 'new');
    await store.remove(['inner/new']);
    symlinkSync(join(victim, '..'), join(folder, 'inner'));
    await expect(store.read('inner/file')).rejects.toThrow(IrregularFile);
    expect(await store.read('later/file')).toBeUndefined();
    symlinkSync(join(victim, '..'), join(folder, 'later'));
    await expect(store.read('later/file')).rejects.toThrow(IrregularFile);
  });

  test.each([
    ['moved', () => undefined, []],
    ['replaced', () => cpSync(`${folder}-moved`, folder, { recursive: true }), ['inner', 'lock']],
  ])('a folder that was %s is not made again, and continues once it is back', async (_, replace, entries) => {
    const store = createFolderStore(folder);
    renameSync(folder, `${folder}-moved`);
    replace();
    const attempts = await Promise.allSettled([
      store.create('journal/file', 'new'),
      store.append('ledger/file', 'new'),
      store.write('inner/file', 'new'),
      store.put('datasets/file', victim),
      store.move('inner/file', 'superseded/file'),
      // An answer that is not found is paid for again.
      store.read('inner/file'),
      store.list('journal'),
      useTemporaryDirectory(join(folder, 'scratch'), 'built-', () => Promise.resolve()),
    ]);
    const refused = { status: 'rejected', reason: expect.any(FolderMoved) };
    expect(attempts).toEqual(attempts.map(() => refused));
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual(entries);
    rmSync(folder, { recursive: true, force: true });
    renameSync(`${folder}-moved`, folder);
    expect(await store.create('journal/file', 'new')).toBe(true);
    expect(await store.read('inner/file')).toBeUndefined();
  });
});

test('a file with further names is read, but never written', async () => {
  const path = join(folder, 'inner', 'file');
  linkSync(victim, path);
  expect(await readText(path, folder)).toBe('precious');
  for (const attempt of [() => openFile(path, folder, 'append'), () => takeLock(path, folder)]) {
    await expect(attempt()).rejects.toThrow(`${path} has 2 names (hard links)`);
  }
  // Only the file of this name is replaced.
  await writeAtomically(path, 'new', folder);
  expect(await readText(path, folder)).toBe('new');
});

test('a text that would fill the memory is refused by its size, before it is read', async () => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  truncateSync(path, 2 ** 40);
  await expect(readText(path, folder)).rejects.toThrow(`${path} has 1,099,511,627,776 bytes`);
});

test('the folder that the user names, and a file that the user names, may be links', async () => {
  writeFileSync(join(folder, 'inner', 'file'), 'own');
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  expect(await readText(join(link, 'inner', 'file'), link)).toBe('own');
  symlinkSync(join(folder, 'inner', 'file'), `${folder}-file`);
  expect(await readText(`${folder}-file`, undefined)).toBe('own');
});

test("in the cache of the Hub's tools, a snapshot's links to its own blobs are followed, and no others", async () => {
  const repository = join(folder, 'datasets--owner--name');
  const snapshot = join(repository, 'snapshots', 'a'.repeat(40));
  mkdirSync(join(snapshot, 'data'), { recursive: true });
  mkdirSync(join(repository, 'blobs'));
  writeFileSync(join(repository, 'blobs', 'hash'), 'rows');
  symlinkSync('../../../blobs/hash', join(snapshot, 'data', 'test.parquet'));
  symlinkSync(victim, join(snapshot, 'README.md'));
  symlinkSync('/dev/zero', join(repository, 'blobs', 'zero'));
  symlinkSync('../../blobs/zero', join(snapshot, 'zero'));
  expect(await readText(join(snapshot, 'data', 'test.parquet'), snapshot)).toBe('rows');
  expect((await findEntry(join(snapshot, 'data', 'test.parquet'), snapshot))?.size).toBe(4);
  for (const name of ['README.md', 'zero']) {
    await expect(readText(join(snapshot, name), snapshot)).rejects.toThrow(IrregularFile);
  }
});
