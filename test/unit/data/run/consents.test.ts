import { mkdirSync, renameSync, statSync, symlinkSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addConsents, readConsents } from '../../../../data/run/consents';
import { createTemporaryFolder } from '../../../temporary-folder';

const root = createTemporaryFolder();
const state = join(root, 'state');
const environment = { XDG_STATE_HOME: state };

test('consent is of one folder by its real path, begun or not, and of the targets it was given for', async () => {
  const run = join(root, 'run');
  await addConsents(run, ['http://one.example/v1'], environment);
  mkdirSync(run);
  symlinkSync(run, join(root, 'link'));
  await addConsents(join(root, 'link'), ['file:///module.mjs'], environment);

  const both = ['file:///module.mjs', 'http://one.example/v1'];
  expect(await readConsents(run, environment)).toEqual(both);
  expect(await readConsents(join(root, 'other'), environment)).toEqual([]);
  renameSync(run, join(root, 'moved'));
  expect(await readConsents(join(root, 'moved'), environment)).toEqual([]);
  expect(statSync(join(state, 'cupid', 'consents')).mode & 0o777).toBe(0o700);
});

test('a record that is damaged gives no consent', async () => {
  const run = join(root, 'damaged');
  await addConsents(run, ['http://one.example/v1'], environment);
  for (const name of readdirSync(join(state, 'cupid', 'consents'))) {
    writeFileSync(join(state, 'cupid', 'consents', name), '{"targets":');
  }
  expect(await readConsents(run, environment)).toEqual([]);
});
