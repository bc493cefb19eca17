import { formatCount, formatNumber } from '../../schemas/text/count-text';

/** Content that its format or this program does not allow; the message says why. */
export class BadContent extends Error {}

/** Rows that need more than is read at once. The file may be sound. */
export class TooMuchAtOnce extends BadContent {}

/** Memory for the rows that are read at once: the largest pages of DuckDB and of pandas take some 300 MB. */
export const MAX_MEMORY_MB = 800;

export function createMemoryError(): TooMuchAtOnce {
  return new TooMuchAtOnce(`its next rows need more than ${MAX_MEMORY_MB} MB of memory`);
}

/** Number of rows that are decoded and passed on together. More rows would survive the first garbage collections, which takes longer than passing them on. */
export const ROWS_AT_ONCE = 20;

/** Counts what one file holds, and rejects what no real data set holds. */
export class Claims {
  #rows = 0;
  /** Number of values of the rows that are read at once. */
  #values = 0;
  /** Number of values and bytes of all rows so far. */
  #total = 0;

  constructor(private readonly fileBytes: number) {}

  /**
   * Begins to count the next rows.
   * @throws BadContent
   */
  begin(rows: number): void {
    this.#values = 0;
    this.#rows += rows;
    if (this.#rows > this.fileBytes) throw new BadContent('it claims more rows than it has bytes');
  }

  /**
   * Counts values of a column before they are decoded.
   * @throws TooMuchAtOnce
   */
  addValues(count: number): void {
    this.#values += count;
    if (this.#values <= MAX_VALUES_AT_ONCE) return;
    const maxValues = formatNumber(MAX_VALUES_AT_ONCE);
    throw new TooMuchAtOnce(
      `${ROWS_AT_ONCE} of its rows claim ${formatNumber(this.#values)} values, but at most ${maxValues} are read at once`,
    );
  }

  /**
   * Counts the content of a row. Rows can share a text, which takes memory only once but is checked in each of them.
   * @throws BadContent
   */
  addRow(value: unknown): void {
    this.#total += typeof value === 'string' || value instanceof Uint8Array ? value.length : 1;
    if (this.#total > Math.max(MIN_TOTAL, this.fileBytes * MAX_EXPANSION))
      throw new BadContent(
        `${formatCount(this.fileBytes, 'byte')} claim to hold more than ${formatNumber(this.#total)}`,
      );
    if (Array.isArray(value)) for (const element of value) this.addRow(element);
    else if (isPlain(value)) for (const name in value) this.addRow(Reflect.get(value, name));
  }
}

/** Messages, list entries: a row of ours has some hundred. */
const MAX_VALUES_AT_ONCE = 2_097_152;
/** Text compresses hardly more than a hundredfold. */
const MAX_EXPANSION = 1_000;
/** Equal rows compress far better. */
const MIN_TOTAL = 268_435_456;

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
