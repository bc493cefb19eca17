import { join } from 'node:path';
import timers from 'node:timers/promises';
import { createFolderStore } from '../../../../data/store/store';
import { LOCKS, takeStoreLock } from '../../../../data/store/store-lock';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const noop = () => undefined;
afterEach(() => jest.restoreAllMocks());

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

test('a process that slept gives up a lock whose number another process used again', async () => {
  const store = createFolderStore(join(folder, 'number-used-again'));
  const onLost = jest.fn();
  let wake: () => void = noop;
  jest.spyOn(timers, 'setTimeout').mockReturnValueOnce(new Promise<void>((resolve) => (wake = resolve)));
  const lock = await takeStoreLock(store, folder, noop, onLost);
  await store.write(`${LOCKS}/000001`, '{}');
  wake();
  await new Promise(setImmediate);
  await lock[Symbol.asyncDispose]();
  expect(onLost).toHaveBeenCalledTimes(1);
  expect(await store.read(`${LOCKS}/000001`)).toBe('{}');
});

test('a process that ends before it renews leaves the lock of another process', async () => {
  const store = createFolderStore(join(folder, 'ends-first'));
  const lock = await takeStoreLock(store, folder, noop, noop);
  await store.write(`${LOCKS}/000001`, '{}');
  await lock[Symbol.asyncDispose]();
  expect(await store.list(LOCKS)).toEqual([`${LOCKS}/000001`]);
});

test('a process that waited for a lock that was removed waits for the latest one', async () => {
  const store = createFolderStore(join(folder, 'removed'));
  await store.create(`${LOCKS}/000001`, '{}');
  jest.spyOn(timers, 'setTimeout').mockImplementation(async () => {
    await store.create(`${LOCKS}/000003`, '{}');
    await store.remove([`${LOCKS}/000001`]);
  });
  const report = jest.fn();
  const lock = await takeStoreLock(store, folder, report, noop);
  jest.restoreAllMocks();
  expect(report).toHaveBeenCalledTimes(2);
  expect((await store.list(LOCKS)).at(-1)).toBe(`${LOCKS}/000004`);
  await lock[Symbol.asyncDispose]();
});
