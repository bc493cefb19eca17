import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requireUndamaged } from '../../../../data/hub/cache';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const CONTENT = 'as on the Hub';
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const GIT = createHash('sha1').update(`blob ${CONTENT.length}\0${CONTENT}`).digest('hex');

test.each([
  ['a large file', SHA256, CONTENT, true],
  ['a large file with a changed letter', SHA256, 'as on the Hut', false],
  ['a small file', GIT, CONTENT, true],
  ['a small file with a changed letter', GIT, 'as on the Hut', false],
  ['a file of a cache without links', 'README.md', 'anything', true],
])('%s in the cache is compared with the hash in its name: case %#', async (_, blob, content, isSound) => {
  const path = join(folder, `${content} ${blob}`, 'snapshots', 'test.parquet');
  const target = join(dirname(path), '..', blob);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(target, content);
  symlinkSync(target, path);
  const checking = requireUndamaged({ path, name: 'kim/cupid/test.parquet' });
  if (isSound) await checking;
  else
    await expect(checking).rejects.toThrow(
      `kim/cupid/test.parquet is damaged in the cache of the Hub's tools. Delete ${target};`,
    );
});
