import { join } from 'node:path';
import { createFolderStore } from '../../../../data/store/store';
import { LOCKS, takeStoreLock } from '../../../../data/store/store-lock';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const noop = () => undefined;

test('a lock that another process took over is left to it', async () => {
  const store = createFolderStore(join(folder, 'taken-over'));
  const lock = await takeStoreLock(store, folder, noop, noop);
  await store.create(`${LOCKS}/000002`, '{}');
  await lock[Symbol.asyncDispose]();
  expect(await store.list(LOCKS)).toEqual([`${LOCKS}/000001`, `${LOCKS}/000002`]);
});

test('the lock of a dead process of the same folder is taken at once, and nothing of it stays', async () => {
  const store = createFolderStore(join(folder, 'dead'));
  await takeStoreLock(store, folder, noop, noop);
  const lock = await takeStoreLock(store, folder, noop, noop);
  expect(await store.list(LOCKS)).toEqual([`${LOCKS}/000001`, `${LOCKS}/000002`]);
  await lock[Symbol.asyncDispose]();
  expect(await store.list(LOCKS)).toEqual([]);
});
