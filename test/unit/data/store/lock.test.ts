import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { findLockHolder, LockedError, takeLock } from '../../../../data/store/lock';
import { LOCAL, NFS, useFileSystem } from '../../../file-system';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

afterEach(() => jest.restoreAllMocks());

/** Leaves the lock of a process that was killed under another host name. */
function leaveLock(name: string) {
  const holder = { host: 'pod-1', pid: 9_183, since: '2026-01-01T00:00:00.000Z' };
  const file = join(folder, name, 'lock');
  mkdirSync(join(folder, name));
  writeFileSync(file, JSON.stringify(holder));
  return { file, holder };
}

test('on a file system of this machine, a lock that the kernel does not know is free', async () => {
  const { file } = leaveLock('local');
  useFileSystem(LOCAL);
  expect(await findLockHolder(file, folder)).toBeUndefined();
  const release = await takeLock(file, folder);
  expect(await findLockHolder(file, folder)).toMatchObject({ host: hostname(), pid: process.pid });
  release();
});

test.each([
  ['a network file system', NFS],
  ['an unknown file system', 1],
])('on %s, the lock of another host is respected', async (name, type) => {
  const { file, holder } = leaveLock(name);
  useFileSystem(type);
  expect(await findLockHolder(file, folder)).toEqual(holder);
  await expect(takeLock(file, folder)).rejects.toThrow(LockedError);
});
