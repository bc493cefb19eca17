import { BadContent } from '../bounds';
import { readBits } from './runs';

/**
 * Adds up numbers of 32 bits that Parquet keeps as differences (DELTA_BINARY_PACKED); those below zero count as zero. Parquet's own reader
 * believes the sizes of blocks, and never ends when they lead back.
 * @returns where they end, as well
 * @throws BadContent when they are not whole
 */
export function sumDeltas(
  bytes: Uint8Array,
  from: number,
  count: number,
): { readonly sum: number; readonly end: number } {
  const { perPart, parts, reader } = begin(bytes, from, 32);
  let value = reader.zigZag(32);
  let sum = Math.max(0, value);
  for (let seen = 1; seen < count;) {
    const least = reader.zigZag(33);
    for (const width of reader.take(parts)) {
      // The widths of parts that are not needed may be anything.
      if (seen >= count) break;
      const packed = reader.take((perPart * width) / 8);
      for (let index = 0; index < perPart && seen < count; index += 1, seen += 1) {
        value = (value + least + (readBits(packed, index * width, Math.min(width, 32)) | 0)) | 0;
        sum += Math.max(0, value);
      }
    }
  }
  return { sum, end: reader.at };
}

/**
 * Checks numbers of 64 bits that are kept in this way.
 * @throws BadContent when they are not whole
 */
export function checkWideDeltas(bytes: Uint8Array, count: number): void {
  const { perPart, parts, reader } = begin(bytes, 0, 64);
  reader.varInt();
  for (let seen = 1; seen < count;) {
    reader.varInt();
    for (const width of reader.take(parts)) {
      if (seen >= count) break;
      reader.take((perPart * width) / 8);
      seen += perPart;
    }
  }
}

function begin(
  bytes: Uint8Array,
  from: number,
  bits: 32 | 64,
): { readonly perPart: number; readonly parts: number; readonly reader: Reader } {
  const reader = new Reader(bytes, from, bits);
  const [perBlock, parts] = [reader.varInt(), reader.varInt()];
  // Their number, which the reader takes from the page.
  reader.varInt();
  const perPart = perBlock / parts;
  if (!Number.isInteger(perPart) || perPart % 32 !== 0 || perBlock > MAX_PER_BLOCK) throw DAMAGED;
  return { perPart, parts, reader };
}

/** DuckDB puts 2,048 into one, other writers 128 or 256. */
const MAX_PER_BLOCK = 65_536;
const DAMAGED = new BadContent('its numbers kept as differences are damaged');

class Reader {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #maxVarIntBytes: number;

  constructor(bytes: Uint8Array, at: number, bits: 32 | 64) {
    this.#bytes = bytes;
    this.at = at;
    // A difference of two numbers may have one bit more.
    this.#maxVarIntBytes = Math.ceil((bits + 1) / 7);
  }

  take(count: number): Uint8Array {
    if (count > this.#bytes.length - this.at) throw DAMAGED;
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  /** As 32 bits. */
  zigZag(bits: 32 | 33): number {
    const folded = this.varInt() % 2 ** bits;
    return (folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2) | 0;
  }

  varInt(): number {
    let result = 0;
    for (let place = 0; place < this.#maxVarIntBytes; place += 1) {
      const [byte = 0] = this.take(1);
      result += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return result;
    }
    throw DAMAGED;
  }
}
