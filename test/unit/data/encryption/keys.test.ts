import { CiphertextDamaged, EncryptionError, readKeyring } from '../../../../data/encryption/keys';
import { classifyDiskError } from '../../../../data/store/system-error';
import { buildKeyring, formatKeys } from '../../../keyring';

const KEY = Buffer.alloc(32, 7).toString('base64');
const TEXT = Buffer.from('A dialogue.');

test('the first key encrypts, and all of them decrypt', () => {
  const old = buildKeyring('2026-10').encrypt(TEXT);
  const rotated = buildKeyring('2026-11', '2026-10');
  expect(rotated.decrypt('It', old)).toEqual(TEXT);
  expect(rotated.encrypt(TEXT)).toMatchObject({ key: '2026-11' });
  expect(rotated.encrypt(TEXT).data).not.toEqual(rotated.encrypt(TEXT).data);
  expect(() => buildKeyring('2026-10').decrypt('The store', rotated.encrypt(TEXT))).toThrow(
    'The store is encrypted with key 2026-11, and CUPID_ENCRYPTION_KEYS has only 2026-10. Set it to a list that has this key',
  );
  expect(() => buildKeyring().decrypt('The store', old)).toThrow('CUPID_ENCRYPTION_KEYS is not set');
});

test('what was changed in any byte, belongs elsewhere or has another key is not decrypted', () => {
  const keys = buildKeyring('a');
  const { key, data } = keys.encrypt(TEXT, (id) => `${id} here`);
  expect(keys.decrypt('It', { key, data }, 'a here')).toEqual(TEXT);
  expect(() => keys.decrypt('It', { key, data }, 'a there')).toThrow(CiphertextDamaged);
  for (const at of data.keys()) {
    const changed = Uint8Array.from(data, (byte, index) => (index === at ? byte ^ 1 : byte));
    expect(() => keys.decrypt('It', { key, data: changed }, 'a here')).toThrow(CiphertextDamaged);
  }
  for (const length of [0, 11, 27, data.length - 1]) {
    expect(() => keys.decrypt('It', { key, data: data.subarray(0, length) }, 'a here')).toThrow(
      CiphertextDamaged,
    );
  }
  const other = readKeyring({ CUPID_ENCRYPTION_KEYS: `a:${KEY}` });
  expect(() => other.decrypt('It', { key, data }, 'a here')).toThrow(/has another key under the id a/);
});

test('a missing key is waited for, as a disk is; what was changed is not', () => {
  const encrypted = buildKeyring('a').encrypt(TEXT);
  expect(classify(() => buildKeyring('b').decrypt('It', encrypted))).toBe('missing-key');
  expect(classify(() => buildKeyring('a').decrypt('It', encrypted, 'elsewhere'))).toBeUndefined();
});

function classify(decrypt: () => unknown): unknown {
  try {
    return decrypt();
  } catch (error) {
    return classifyDiskError(error);
  }
}

test.each([
  [KEY, 'Entry 1'],
  [`a:${KEY} :${KEY}`, 'Entry 2'],
  [`a:${KEY.slice(4)}`, 'Key a'],
  [`a:${KEY} b:${Buffer.alloc(16).toString('base64')}`, 'Key b'],
  [`a:${KEY.replace(/.$/, '!')}`, 'Key a'],
  [`a/b:${KEY}`, 'Entry 1'],
])('keys that are not of their form are named, and not shown (%#)', (given, named) => {
  const read = () => readKeyring({ CUPID_ENCRYPTION_KEYS: given });
  expect(read).toThrow(EncryptionError);
  expect(read).toThrow(`${named} of CUPID_ENCRYPTION_KEYS is not of its form.`);
  expect(read).toThrow('openssl rand -base64 32');
  expect(read).not.toThrow(KEY.slice(4, 20));
});

test('an id names one key; spaces, lines and commas separate them; without any nothing is encrypted', () => {
  expect(() => readKeyring({ CUPID_ENCRYPTION_KEYS: formatKeys('a', 'a') })).toThrow('has key a twice');
  expect(readKeyring({ CUPID_ENCRYPTION_KEYS: ` a:${KEY},\n b:${KEY} ` }).current).toBe('a');
  expect(readKeyring({ CUPID_ENCRYPTION_KEYS: '' }).isEmpty).toBe(true);
  expect(() => readKeyring({}).current).toThrow('CUPID_ENCRYPTION_KEYS is not set.');
});
