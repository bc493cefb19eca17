import { LRUCache } from 'lru-cache';
import type { FileHandle } from 'node:fs/promises';
import { openTemporaryFile } from '../../data/store/temporary-file';

/**
 * Lower-case texts in a temporary file, so that a search needs no memory for them. Recent texts are not written twice,
 * because the instances of a persona share most of their sessions.
 */
export class SearchFile {
  /** End of each text in the file, in bytes. */
  readonly #ends: number[] = [];
  readonly #latest = new LRUCache<string, number>({ max: TEXTS_REMEMBERED });
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writtenBytes = 0;
  #writing = Promise.resolve();

  private constructor(private readonly file: FileHandle) {}

  static async create(): Promise<SearchFile> {
    return new SearchFile(await openTemporaryFile());
  }

  /** Adds a text and returns its number. */
  async add(text: string): Promise<number> {
    const knownNumber = this.#latest.get(text);
    if (knownNumber !== undefined) return knownNumber;
    const bytes = Buffer.from(`${text.toLowerCase()}${SEPARATOR}`);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    const number = this.#ends.push((this.#ends.at(-1) ?? 0) + bytes.length) - 1;
    this.#latest.set(text, number);
    if (this.#waitingBytes >= BLOCK_BYTES) await this.#flush();
    return number;
  }

  /** Returns the numbers of the texts that contain this one, ignoring case. */
  async find(text: string): Promise<ReadonlySet<number>> {
    await this.#flush();
    const needle = Buffer.from(text.toLowerCase());
    const numbers = new Set<number>();
    if (needle.length === 0) return numbers;
    const block = Buffer.alloc(BLOCK_BYTES + needle.length);
    let number = 0;
    for (let from = 0; from < this.#writtenBytes; from += BLOCK_BYTES) {
      // Blocks overlap, so that no match is lost between two of them.
      const { bytesRead } = await this.file.read(block, 0, block.length, from);
      const chunk = block.subarray(0, bytesRead);
      let at = chunk.indexOf(needle);
      while (at >= 0) {
        while ((this.#ends[number] ?? Infinity) <= from + at) number += 1;
        numbers.add(number);
        const next = (this.#ends[number] ?? Infinity) - from;
        at = next < chunk.length ? chunk.indexOf(needle, next) : -1;
      }
    }
    return numbers;
  }

  /** Reads the texts, in lower case, in the order of their numbers. */
  async *read(): AsyncGenerator<string> {
    await this.#flush();
    let from = 0;
    for (const end of this.#ends) {
      const text = Buffer.alloc(end - from - SEPARATOR.length);
      await this.file.read(text, 0, text.length, from);
      yield text.toString();
      from = end;
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    const position = this.#writtenBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#writtenBytes += bytes.length;
    // A search waits until concurrent writes are done.
    const before = this.#writing;
    this.#writing = this.#write(bytes, position, before);
    await this.#writing;
  }

  async #write(bytes: Buffer, position: number, before: Promise<void>): Promise<void> {
    await before;
    if (bytes.length > 0) await this.file.write(bytes, 0, bytes.length, position);
  }
}

/** A character that no search contains. */
const SEPARATOR = '\0';
const BLOCK_BYTES = 1024 * 1024;
/** Texts of the last few personas. */
const TEXTS_REMEMBERED = 200;
