import { readKeyring, type Keyring } from '../data/encryption/keys';

/** Keys with these ids, the first of which encrypts; the same id has the same key every time. */
export function buildKeyring(...ids: readonly string[]): Keyring {
  return readKeyring({ CUPID_ENCRYPTION_KEYS: formatKeys(...ids) });
}

/** The same as the environment has them. */
export function formatKeys(...ids: readonly string[]): string {
  return ids.map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`).join(' ');
}
