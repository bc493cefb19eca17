import { BadContent } from '../bounds';

/**
 * Checks runs of equal values, and groups of eight packed ones, as Parquet keeps levels and places in a dictionary.
 * @param width bits of a value
 * @param wanted the value to count
 * @returns how many of the values are the wanted one
 * @throws BadContent unless the runs hold exactly `count` values, but for what fills up the last group
 */
export function checkRuns(bytes: Uint8Array, width: number, count: number, wanted?: number): number {
  let found = 0;
  let at = 0;
  for (let seen = 0; seen < count;) {
    let header = 0;
    for (let place = 0; ; place += 1) {
      const byte = bytes[at];
      if (byte === undefined || place > 4) throw DAMAGED;
      at += 1;
      header += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) break;
    }
    const isPacked = header % 2 === 1;
    const claimed = isPacked ? ((header - 1) / 2) * 8 : header / 2;
    const length = Math.min(claimed, count - seen);
    if (claimed > length + (isPacked ? MAX_PADDING : 0))
      throw new BadContent('a run of values is longer than its page');
    const bits = isPacked ? length * width : 8 * Math.ceil(width / 8);
    if (bits > 8 * (bytes.length - at)) throw DAMAGED;
    // The reader takes one byte even for a packed group that has none, and would then read something else than was checked.
    if (isPacked && (claimed === 0 || (width === 0 && seen + length < count))) throw DAMAGED;
    if (wanted !== undefined) {
      if (!isPacked) found += readBits(bytes, 8 * at, bits) === wanted ? length : 0;
      else
        for (let index = 0; index < length; index += 1)
          if (readBits(bytes, 8 * at + index * width, width) === wanted) found += 1;
    }
    at += isPacked ? (claimed / 8) * width : bits / 8;
    seen += length;
  }
  return found;
}

/** The format fills groups of eight values; DuckDB fills blocks of 256. */
const MAX_PADDING = 255;
const DAMAGED = new BadContent('a run of values is damaged');

/** A number of this many bits, the lowest first. */
export function readBits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let bit = 0; bit < count; bit += 1)
    value += (((bytes[(from + bit) >>> 3] ?? 0) >>> ((from + bit) & 7)) & 1) * 2 ** bit;
  return value;
}
