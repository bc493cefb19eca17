import { z } from 'zod';
import { parseJson } from '../../schemas/text/issues';
import { CiphertextDamaged, type Keyring } from './keys';

/**
 * The form in which a store keeps what it encrypts: lines of JSON, each encrypted and authenticated by itself, so that a text can grow,
 * and a file of any size is read in parts. What stands beside `data` is authenticated with it: a line that was moved to another name or
 * another place is not accepted.
 */
const lineSchema = z.object({
  encrypted: z.literal('AES-256-GCM'),
  key: z.string(),
  /** In the store. */
  name: z.string(),
  /** Counted from 1 in a value that was written as a whole; absent in a text that was added to another. */
  part: z.number().int().positive().optional(),
  /** In the last part. */
  last: z.literal(true).optional(),
  /** Base64. */
  data: z.string(),
});
type Line = z.infer<typeof lineSchema>;

/** Encrypts a value that is written as a whole. */
export function sealText(keys: Keyring, name: string, text: string): string {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  const lines = Array.from({ length: count }, (_, at) =>
    sealPart(keys, name, bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES), at + 1, at + 1 === count),
  );
  return lines.join('');
}

export async function* sealBlocks(
  keys: Keyring,
  name: string,
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let waiting: Uint8Array = new Uint8Array();
  let part = 0;
  for await (const block of blocks) {
    if (part > 0 || waiting.length > 0) yield Buffer.from(sealPart(keys, name, waiting, (part += 1), false));
    waiting = block;
  }
  yield Buffer.from(sealPart(keys, name, waiting, part + 1, true));
}

export function sealAdded(keys: Keyring, name: string, text: string): string {
  return seal(keys, { name }, Buffer.from(text));
}

/** Ends a line that may have been written in part only: "cancel", which stands in no JSON as it is. */
export const GIVEN_UP = '\u0018';

/** True for what a store encrypted. */
export function isSealed(text: string): boolean {
  return text.startsWith(BEGINNING);
}

/** Decrypts what was written as a whole, wherever it is now. @throws EncryptionError */
export function openSealedText(keys: Keyring, subject: string, text: string): string {
  const name = parseLine(text.slice(0, text.indexOf('\n')))?.name ?? '';
  return new SealedReader(keys, subject, name).readAll(text);
}

/** Decrypts the lines of one name, one after the other. */
export class SealedReader {
  #parts = 0;
  #isOpen = false;

  /** @param subject names what is decrypted, as the beginning of a sentence */
  constructor(
    private readonly keys: Keyring,
    private readonly subject: string,
    private readonly name: string,
  ) {}

  /** @throws EncryptionError */
  readAll(text: string): string {
    const lines = text.split('\n');
    const unfinished = lines.pop();
    const opened = lines.map((line) => this.open(line));
    this.end(unfinished);
    return Buffer.concat(opened).toString();
  }

  /** The content of a complete line. @throws EncryptionError */
  open(text: string): Buffer {
    // What a power cut took from a file is zeros on some systems; and what a full disk took was given up.
    const whole = text.replaceAll('\0', '');
    if (whole === '' || whole.endsWith(GIVEN_UP)) return Buffer.alloc(0);
    const line = parseLine(whole);
    if (line === undefined) return this.#fail('it is not encrypted, or was cut off');
    const { key, name, part, last, data } = line;
    if (name !== this.name) return this.#fail(`it belongs to ${name}`);
    if (part === undefined ? this.#isOpen : part !== this.#parts + 1 || (part > 1 && !this.#isOpen)) {
      return this.#fail('a part of it is missing or in the wrong place');
    }
    const content = this.keys.decrypt(
      this.subject,
      { key, data: Buffer.from(data, 'base64') },
      describe(line),
    );
    if (part !== undefined) {
      this.#parts = part;
      this.#isOpen = last === undefined;
    }
    return content;
  }

  /**
   * To be called after the last line.
   * @param unfinished what follows it of a value that was written as a whole
   * @throws CiphertextDamaged when the end of the value is missing
   */
  end(unfinished = ''): void {
    if (unfinished !== '') this.#fail('it is not encrypted, or was cut off');
    if (this.#isOpen) this.#fail('its end is missing');
  }

  #fail(problem: string): never {
    throw new CiphertextDamaged(
      `${this.subject} cannot be decrypted: ${problem}. Restore it from a copy, or delete it.`,
    );
  }
}

const BEGINNING = '{"encrypted":"AES-256-GCM",';

/** Bytes of a value in one line. */
export const PART_BYTES = 256 * 1024;

function sealPart(keys: Keyring, name: string, data: Uint8Array, part: number, isLast: boolean): string {
  return seal(keys, { name, part, ...(isLast ? { last: true } : {}) }, data);
}

function seal(keys: Keyring, place: Pick<Line, 'name' | 'part' | 'last'>, content: Uint8Array): string {
  const encrypted = keys.encrypt(content, (key) => describe({ key, ...place }));
  const header = describe({ key: encrypted.key, ...place }).slice(0, -1);
  return `${header},"data":"${Buffer.from(encrypted.data).toString('base64')}"}\n`;
}

/** What is authenticated beside the content. */
function describe({ key, name, part, last }: Pick<Line, 'key' | 'name' | 'part' | 'last'>): string {
  return JSON.stringify({ encrypted: 'AES-256-GCM', key, name, part, last });
}

function parseLine(text: string): Line | undefined {
  return parseJson(lineSchema, 'line', text).value;
}
