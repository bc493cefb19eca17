/**
 * Checks that a text was not encrypted: earlier versions of cupid could encrypt a run, and this one cannot read it. Disks and buckets
 * encrypt the same data, and come with a way to manage keys. Temporal gets no text.
 * @param subject names the text to a person, as the beginning of a sentence
 * @throws Error that names the versions that can read it
 */
export function requireUnencrypted(subject: string, text: string | undefined): void {
  if (text?.startsWith('{"encrypted":"AES-256-GCM",') !== true) return;
  throw new Error(
    `${subject} was encrypted by an earlier version of cupid, and this version cannot decrypt it. To continue or read it, use the version that the run's run.json names (codeVersion), or the last one that could decrypt it, commit ${LAST_COMMIT}, with the same ${VARIABLE}. See docs/security.md.`,
  );
}

/** Object that every encrypted store contains, itself encrypted. */
export const ENCRYPTION_MARK = 'encryption.json';

/**
 * Checks that nobody expects a new run to be encrypted.
 * @throws Error when the environment has encryption keys, as for earlier versions
 */
export function requireNoEncryptionKeys(environment: NodeJS.ProcessEnv): void {
  if ((environment[VARIABLE] ?? '').trim() === '') return;
  throw new Error(
    `${VARIABLE} is set, but this version of cupid does not encrypt runs. To start a run that is not encrypted, unset the variable. docs/security.md says how to encrypt disks and buckets instead.`,
  );
}

const VARIABLE = 'CUPID_ENCRYPTION_KEYS';
const LAST_COMMIT = '16619f58 (2026-11-26)';
