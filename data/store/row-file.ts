import type { FileHandle } from 'node:fs/promises';
import { openTemporaryFile } from './temporary-file';

/** Rows in a temporary file, for sources without random access. */
export class RowFile {
  readonly #ends: number[] = [];
  #file: Promise<FileHandle> | undefined;

  /** Adds a row and returns its place. */
  async add(row: unknown): Promise<number> {
    const bytes = Buffer.from(JSON.stringify(row));
    const from = this.#ends.at(-1) ?? 0;
    this.#file ??= openTemporaryFile();
    await (await this.#file).write(bytes, 0, bytes.length, from);
    return this.#ends.push(from + bytes.length) - 1;
  }

  /** Reads the row at a place that `add` returned. Undefined at any other place. */
  async read(place: number): Promise<unknown> {
    const end = this.#ends[place];
    if (end === undefined || this.#file === undefined) return undefined;
    const from = this.#ends[place - 1] ?? 0;
    const { buffer } = await (await this.#file).read(Buffer.alloc(end - from), 0, end - from, from);
    return JSON.parse(buffer.toString());
  }

  async close(): Promise<void> {
    await (await this.#file)?.close();
  }
}
