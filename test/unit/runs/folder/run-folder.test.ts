import files, { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import filePromises from 'node:fs/promises';
import { join } from 'node:path';
import { markCopy, unmarkCopy } from '../../../../runs/folder/copy-mark';
import { openRunFolder, SYNTHESIS } from '../../../../runs/folder/run-folder';
import { lockRunFolder } from '../../../../runs/folder/run-lock';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

test('what a process left that died while it built data sets is gone once another one drives the run', async () => {
  const scratch = join(folder, '.cupid', 'scratch');
  mkdirSync(join(scratch, 'datasets-a1B2c3'), { recursive: true });
  writeFileSync(join(scratch, 'datasets-a1B2c3', 'unverified.parquet'), 'PAR1');
  await using _lock = await lockRunFolder(await openRunFolder(SYNTHESIS, folder));
  expect(existsSync(scratch)).toBe(false);
});

test("a run's folder is made for this user alone", async () => {
  const path = join(folder, 'parent', 'private');
  await using _lock = await lockRunFolder(await openRunFolder(SYNTHESIS, path));
  for (const made of [path, join(path, '.cupid')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('a lock that a full disk does not take leaves no folder behind, and the error names the folder', async () => {
  const path = join(folder, 'above', 'full');
  const run = await openRunFolder(SYNTHESIS, path);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const write = jest.spyOn(files, 'writeSync').mockImplementation(() => {
    throw full;
  });
  await expect(lockRunFolder(run)).rejects.toThrow(`${path} cannot be written (ENOSPC`);
  write.mockRestore();
  expect(existsSync(join(folder, 'above'))).toBe(false);
});

test.each(['EPERM', 'ENOTSUP'])(
  'a file system without hard links (%s) is rejected by the lock',
  async (code) => {
    const path = join(folder, code);
    const link = jest.spyOn(filePromises, 'link').mockRejectedValue(Object.assign(new Error(code), { code }));
    await expect(lockRunFolder(await openRunFolder(SYNTHESIS, path))).rejects.toThrow(
      `its file system does not support hard links (${code})`,
    );
    link.mockRestore();
    expect(existsSync(path)).toBe(false);
    await using _lock = await lockRunFolder(await openRunFolder(SYNTHESIS, path));
  },
);

test('a folder that was moved while it was locked is released, and neither made again nor missed', async () => {
  const path = join(folder, 'moved');
  const lock = await lockRunFolder(await openRunFolder(SYNTHESIS, path));
  files.renameSync(path, `${path}-away`);
  await lock[Symbol.asyncDispose]();
  expect(existsSync(path)).toBe(false);
  await using _lock = await lockRunFolder(await openRunFolder(SYNTHESIS, `${path}-away`));
});

test('a copy of a run in progress is not continued until somebody removes the mark', async () => {
  const path = join(folder, 'copy');
  mkdirSync(join(path, '.cupid'), { recursive: true });
  await markCopy(path, 's3://bucket/run');
  await expect(openRunFolder(SYNTHESIS, path)).rejects.toThrow(
    /is a copy of the run at s3:\/\/bucket\/run, .*delete .*\/copy\/\.cupid\/copy-of and repeat/,
  );
  await unmarkCopy(path);
  await expect(openRunFolder(SYNTHESIS, path)).resolves.toMatchObject({ path });
});
