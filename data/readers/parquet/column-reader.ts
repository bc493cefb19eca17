import type { AsyncBuffer, Compressors } from 'hyparquet';
import { BadContent, type Claims } from '../bounds';
import { checkPage, type PageColumn, type PageContent } from './pages';
import { readThrift } from './thrift';

/** A column's part of a row group. */
interface ColumnChunk extends PageColumn {
  /** First byte in the file. */
  readonly from: number;
  /** The byte after its last. */
  readonly end: number;
}

/** Goes through the pages of a column's part of a row group, and checks each. */
export class ColumnReader {
  #at: number;
  #dataFrom: number | undefined;
  #window = { from: 0, bytes: new Uint8Array() };

  constructor(
    private readonly file: AsyncBuffer,
    readonly column: ColumnChunk,
    private readonly compressors: Compressors,
  ) {
    this.#at = column.from;
  }

  /** The next page of data; undefined at the end. @throws BadContent */
  async readPage(claims: Claims): Promise<PageContent | undefined> {
    while (this.#at < this.column.end - 1) {
      const from = this.#at;
      const header = readThrift(await this.#read(from, from + HEADER_BYTES), 0);
      const size = header.value[3];
      const packedFrom = from + header.end;
      if (typeof size !== 'number' || !(size >= 0 && size <= this.column.end - packedFrom))
        throw new BadContent('a page is cut off');
      this.#at = packedFrom + size;
      const packed = await this.#read(packedFrom, this.#at);
      const content = checkPage(header.value, packed, this.column, this.compressors, claims);
      if (content === undefined) continue;
      this.#dataFrom ??= from;
      return content;
    }
    return undefined;
  }

  /** What stands before the first page of data, which must have been read. */
  async readDictionary(): Promise<Uint8Array> {
    return new Uint8Array(await this.file.slice(this.column.from, this.#dataFrom ?? this.column.from));
  }

  /** Bytes of the column, as far as it has them. More are read at once, since a page can be small. */
  async #read(from: number, to: number): Promise<Uint8Array> {
    const end = Math.min(to, this.column.end);
    if (from < this.#window.from || end > this.#window.from + this.#window.bytes.length) {
      const upTo = Math.min(Math.max(end, from + WINDOW_BYTES), this.column.end);
      this.#window = { from, bytes: new Uint8Array(await this.file.slice(from, upTo)) };
    }
    const { from: start, bytes } = this.#window;
    return bytes.subarray(from - start, end - start);
  }
}

/** A header can hold the smallest and the largest text of its page. */
const HEADER_BYTES = 1_000_000;
const WINDOW_BYTES = 2_000_000;
