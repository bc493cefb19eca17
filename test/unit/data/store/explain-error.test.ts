import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainError } from '../../../../data/store/explain-error';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
const journal = join(run, '.cupid', 'journal');
mkdirSync(journal, { recursive: true });
writeFileSync(join(journal, 'answer'), '');

/** Creates the error of the system for a path that this user may not use. */
function deny(path: string, code = 'EACCES'): Error {
  return Object.assign(new Error(`${code}: permission denied, open '${path}'`), { code, path });
}

test.each([
  ['a file that exists', join(journal, 'answer'), join(journal, 'answer')],
  ['a file to be made', join(journal, 'next'), journal],
])('a run of this user says which right is missing: %s', (_, path, denying) => {
  expect(explainError(deny(path))).toBe(
    `${denying} cannot be written by this user (EACCES). To fix this, run: chmod -R u+rwX ${denying}`,
  );
});

test('nobody is asked to open a folder that holds more than a run', () => {
  expect(explainError(deny(join(folder, 'elsewhere')))).toBe(
    `${folder} cannot be written by this user (EACCES). Use another folder, or ask its owner for access.`,
  );
});

test('a read-only file system is no matter of rights', () => {
  expect(explainError(deny(join(journal, 'next'), 'EROFS'))).toBe(
    `${journal} cannot be written by this user (EROFS): its file system is read-only. Mount it writable, or use another folder.`,
  );
});

test.each([
  [
    'a native part for a newer C library',
    Object.assign(new Error("version `GLIBC_2.18' not found"), { code: 'ERR_DLOPEN_FAILED' }),
    'needs glibc 2.28',
  ],
  [
    'a user without a home directory',
    Object.assign(new Error('A system error occurred: uv_os_homedir returned ENOENT'), {
      code: 'ERR_SYSTEM_ERROR',
    }),
    'Set HOME',
  ],
])('%s', (_, error, remedy) => {
  expect(explainError(error)).toContain(remedy);
});

test.each([new Error('a defect'), deny('', 'ENOENT'), 'a text'])('%s is not explained', (error) => {
  expect(explainError(error)).toBeUndefined();
});
