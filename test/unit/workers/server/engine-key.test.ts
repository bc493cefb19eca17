import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readEngineKey, removeEngineKey, writeEngineKey } from '../../../../workers/server/engine-key';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

test('the key of an engine is new each time, read by its user only, and missing when a crash left a part of it', async () => {
  expect(await readEngineKey(folder)).toBeUndefined();
  await writeEngineKey(folder);
  const first = await readEngineKey(folder);
  expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600);
  await expect(writeEngineKey(folder)).rejects.toThrow('EEXIST');
  await removeEngineKey(folder);
  await writeEngineKey(folder);
  const second = await readEngineKey(folder);
  expect(first !== undefined && second?.equals(first)).toBe(false);
  await truncate(join(folder, 'key'), 16);
  expect(await readEngineKey(folder)).toBeUndefined();
});
