import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLogSize, getLogFile, readLog } from '../../../../workers/server/server-log';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

test('only what was logged since is read, however large the log is', async () => {
  writeFileSync(getLogFile(folder), '');
  truncateSync(getLogFile(folder), 1024 ** 3);
  const before = await findLogSize(folder);
  expect(await readLog(folder, before)).toBe('');
  appendFileSync(getLogFile(folder), 'level=ERROR\n');
  expect(await readLog(folder, before)).toBe('level=ERROR\n');
});

test('a log that is not there is empty', async () => {
  const other = join(folder, 'other');
  expect(await findLogSize(other)).toBe(0);
  expect(await readLog(other, 0)).toBe('');
});
