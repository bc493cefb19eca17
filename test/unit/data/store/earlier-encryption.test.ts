import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '../../../../data/run/bundles';
import { requireNoEncryptionKeys } from '../../../../data/store/earlier-encryption';
import { openRunStore } from '../../../../data/store/open-store';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

/** An empty value, as encrypted by earlier versions. */
const ENCRYPTED =
  '{"encrypted":"AES-256-GCM","key":"2026-11","name":"encryption.json","part":1,"last":true,"data":"6OyPsdfTWzH9MlYcYPB4yw1d9v0G7iRjq0v5wA=="}\n';
const REFUSAL =
  /was encrypted by an earlier version of cupid.* the version that the run's run\.json names \(codeVersion\), or the last one that could decrypt it, commit [0-9a-f]{8} /;

test('a store that an earlier version encrypted is refused by its name, and every other one is opened', async () => {
  await expect(openRunStore(folder)).resolves.toHaveProperty('read');
  const inner = join(folder, '.cupid');
  mkdirSync(inner);
  await expect(openRunStore(folder)).resolves.toHaveProperty('read');
  writeFileSync(join(inner, 'encryption.json'), ENCRYPTED);
  await expect(openRunStore(folder)).rejects.toThrow(`The run's store ${inner} was encrypted`);
  await expect(openRunStore(folder)).rejects.toThrow(REFUSAL);
});

test('so is a bundle', async () => {
  const file = join(folder, 'p1-s2.bundle.json');
  writeFileSync(file, ENCRYPTED);
  await expect(readBundle(file)).rejects.toThrow(REFUSAL);
});

test.each([undefined, '', ' \n'])('the variable for keys may be there without any: %j', (value) => {
  expect(() =>
    requireNoEncryptionKeys(value === undefined ? {} : { CUPID_ENCRYPTION_KEYS: value }),
  ).not.toThrow();
});
