import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

/** What is encrypted cannot be read here, or `CUPID_ENCRYPTION_KEYS` is not of its form. The message says what to do, and names no key. */
export class EncryptionError extends Error {
  override readonly name: string = 'EncryptionError';
}

/** What was encrypted is not what it was, or was encrypted with another key of the same id. */
export class CiphertextDamaged extends EncryptionError {
  override readonly name = 'CiphertextDamaged';
}

/** A value as AES-256-GCM leaves it: a nonce of 12 bytes, the ciphertext, and a tag of 16 bytes. */
interface Encrypted {
  /** The id of the key. */
  readonly key: string;
  readonly data: Uint8Array;
}

/** The keys of this process. The first one encrypts, all of them decrypt. */
export class Keyring {
  /** @param keys by id, in order */
  constructor(private readonly keys: ReadonlyMap<string, KeyObject>) {}

  get isEmpty(): boolean {
    return this.keys.size === 0;
  }

  /** The id of the key that encrypts. @throws EncryptionError when there is none */
  get current(): string {
    for (const id of this.keys.keys()) return id;
    throw new EncryptionError(`${VARIABLE} is not set. ${FORM}`);
  }

  /** @param context what the value belongs to: it is decrypted with the same one only */
  encrypt(data: Uint8Array, context: (key: string) => string = () => ''): Encrypted {
    const id = this.current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#get(id, 'The value'), nonce);
    cipher.setAAD(Buffer.from(context(id)));
    const encrypted = [cipher.update(data), cipher.final()];
    return { key: id, data: Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]) };
  }

  /**
   * @param subject what is decrypted, as the beginning of a sentence
   * @throws EncryptionError when the key is missing, CiphertextDamaged when it does not fit
   */
  decrypt(subject: string, { key: id, data }: Encrypted, context = ''): Buffer {
    const key = this.#get(id, subject);
    try {
      const tag = data.length - TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, key, data.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(data.subarray(tag));
      return Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, tag)), decipher.final()]);
    } catch (error) {
      throw new CiphertextDamaged(
        `${subject} cannot be decrypted: it was changed after it was encrypted, or ${VARIABLE} has another key under the id ${id}. Correct the key, or restore it from a copy.`,
        { cause: error },
      );
    }
  }

  #get(id: string, subject: string): KeyObject {
    const key = this.keys.get(id);
    if (key !== undefined) return key;
    const known = [...this.keys.keys()].join(', ');
    throw new EncryptionError(
      `${subject} is encrypted with key ${id}, and ${VARIABLE} ${this.isEmpty ? 'is not set' : `has only ${known}`}. Set it to a list that has this key, as ID:BASE64.`,
    );
  }
}

/** The keys that the environment names; none when it names none. @throws EncryptionError when they are not of their form */
export function readKeyring(environment: NodeJS.ProcessEnv = process.env): Keyring {
  const entries = (environment[VARIABLE] ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  const keys = new Map<string, KeyObject>();
  for (const [at, entry] of entries.entries()) {
    const { id, base64 = '' } = /^(?<id>[A-Za-z0-9][\w.-]{0,63}):(?<base64>.*)$/.exec(entry)?.groups ?? {};
    const bytes = Buffer.from(base64, 'base64');
    if (id === undefined || bytes.length !== KEY_BYTES || bytes.toString('base64') !== base64) {
      const which = id === undefined ? `Entry ${at + 1}` : `Key ${id}`;
      throw new EncryptionError(`${which} of ${VARIABLE} is not of its form. ${FORM}`);
    }
    if (keys.has(id)) throw new EncryptionError(`${VARIABLE} has key ${id} twice. Give each key its own id.`);
    keys.set(id, createSecretKey(bytes));
  }
  return new Keyring(keys);
}

export const VARIABLE = 'CUPID_ENCRYPTION_KEYS';
const FORM =
  'Expected ID:KEY entries, separated by spaces, each key 32 bytes in base64. The first one encrypts, all of them decrypt. To make a key, run: openssl rand -base64 32';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
