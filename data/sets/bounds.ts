import { number } from '../../schemas/count-text';

/**
 * Bounds for foreign files. A few bytes can claim any number of rows or values, and a library that believes them fills the memory.
 */

/** Of a row group of Parquet or a record batch of Arrow: what the usual writers put into one. */
export const MAX_ROWS_AT_ONCE = 1_048_576;

/** Of one column, in a row group or record batch: messages, list entries. */
export const MAX_VALUES_AT_ONCE = 16_777_216;

/** What a file holds is not what its format or this program allows; the message says what. */
export class BadContent extends Error {}

/** @throws BadContent when there are more rows than are read at once */
export function requireRowCount(rows: number, what: string): void {
  if (Number.isSafeInteger(rows) && rows >= 0 && rows <= MAX_ROWS_AT_ONCE) return;
  throw new BadContent(
    `${what} claims ${inWords(rows)} rows, and at most ${inWords(MAX_ROWS_AT_ONCE)} are read at once`,
  );
}

/** @throws BadContent when a column has more values than are read at once */
export function requireValueCount(values: number, what: string): void {
  if (Number.isSafeInteger(values) && values >= 0 && values <= MAX_VALUES_AT_ONCE) return;
  throw new BadContent(
    `${what} claims ${inWords(values)} values, and at most ${inWords(MAX_VALUES_AT_ONCE)} are read at once`,
  );
}

/** @throws BadContent when bytes unpack to far more than any real data do */
export function requireExpansion(packed: number, unpacked: number): void {
  if (unpacked >= 0 && unpacked <= Math.max(MIN_UNPACKED_BYTES, packed * MAX_EXPANSION)) return;
  throw new BadContent(`${inWords(packed)} compressed bytes claim to hold ${inWords(unpacked)}`);
}

/** Columns of equal values compress well; text, hardly more than a hundredfold. */
const MAX_EXPANSION = 1_000;
const MIN_UNPACKED_BYTES = 16_777_216;

function inWords(count: number): string {
  return number(count);
}
