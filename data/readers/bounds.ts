import { formatCount, formatNumber } from '../../schemas/text/count-text';

/**
 * Bounds for foreign files. A few bytes can claim any number of rows, values or bytes, and a library that believes them fills the memory
 * or never ends.
 */

/** What a file holds is not what its format or this program allows; the message says what. */
export class BadContent extends Error {}

/** A row group or record batch is larger than what is read at once. The file may be sound. */
export class TooMuchAtOnce extends BadContent {}

/** Counts what one file claims to hold, before it is in memory, and rejects what no real data set holds. */
export class Claims {
  #fileRows = 0;
  /** Values and bytes of all row groups or record batches so far. */
  #total = 0;
  #values = 0;
  #bytes = 0;

  constructor(private readonly fileBytes: number) {}

  /**
   * Begins a row group or record batch; the one before is then no longer in memory.
   * @param what names it in messages
   * @throws BadContent
   */
  begin(rows: number, what: string): void {
    this.#values = 0;
    this.#bytes = 0;
    requireAtOnce(rows, MAX_ROWS_AT_ONCE, `${what} claims`, 'rows');
    this.#fileRows += rows;
    if (this.#fileRows > this.fileBytes)
      throw new BadContent(`${what} claims more rows than the file has bytes`);
  }

  /**
   * @param what their subject and verb in messages
   * @throws BadContent
   */
  addValues(count: number, what = 'the columns up to this one claim'): void {
    if (!(count >= 0)) throw new BadContent('a number of values is below zero');
    this.#values += count;
    requireAtOnce(this.#values, MAX_VALUES_AT_ONCE, what, 'values');
    this.#addToFile(count);
  }

  /**
   * Bytes as they are when they are unpacked.
   * @throws BadContent
   */
  addBytes(count: number, what = 'the columns up to this one claim'): void {
    if (!(count >= 0)) throw new BadContent('a number of bytes is below zero');
    this.#bytes += count;
    requireAtOnce(this.#bytes, MAX_BYTES_AT_ONCE, what, 'bytes');
    this.#addToFile(count);
  }

  /**
   * What a row holds. Rows can share a text, which takes memory only once but is checked in each of them.
   * @throws BadContent
   */
  addRow(value: unknown): void {
    this.#addToFile(typeof value === 'string' || value instanceof Uint8Array ? value.length : 1);
    if (Array.isArray(value)) for (const element of value) this.addRow(element);
    else if (isPlain(value)) for (const member of Object.values(value)) this.addRow(member);
  }

  #addToFile(count: number): void {
    this.#total += count;
    if (this.#total <= Math.max(MIN_TOTAL, this.fileBytes * MAX_EXPANSION)) return;
    throw new BadContent(
      `${formatCount(this.fileBytes, 'byte')} claim to hold more than ${formatNumber(this.#total)}`,
    );
  }
}

/** What the usual writers put into one row group or record batch. */
const MAX_ROWS_AT_ONCE = 1_048_576;
/** Of all columns that are read: messages, list entries. They take a hundred bytes of memory each. */
const MAX_VALUES_AT_ONCE = 16_777_216;
const MAX_BYTES_AT_ONCE = 536_870_912;
/** Text compresses hardly more than a hundredfold, and equal rows some thousandfold. */
const MAX_EXPANSION = 10_000;
const MIN_TOTAL = 16_777_216;

function requireAtOnce(count: number, most: number, what: string, unit: string): void {
  if (Number.isSafeInteger(count) && count >= 0 && count <= most) return;
  throw new TooMuchAtOnce(
    `${what} ${formatNumber(count)} ${unit}, but at most ${formatNumber(most)} are read at once`,
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
