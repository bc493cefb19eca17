import { BadContent } from '../bounds';
import { encodeVarInt } from './thrift';

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
    const { value: header, end } = readVarInt(bytes, at);
    at = end;
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

function readVarInt(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let place = 0; ; place += 1) {
    const byte = bytes[from + place];
    if (byte === undefined || place > 4) throw DAMAGED;
    value += (byte & 0x7f) * 2 ** (7 * place);
    if (byte < 0x80) return { value, end: from + place + 1 };
  }
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

/** As many values of runs that are sound. */
export function decodeRuns(bytes: Uint8Array, width: number, count: number): Uint32Array {
  const values = new Uint32Array(count);
  let at = 0;
  for (let seen = 0; seen < count;) {
    const header = readVarInt(bytes, at);
    at = header.end;
    const isPacked = header.value % 2 === 1;
    const claimed = isPacked ? ((header.value - 1) / 2) * 8 : header.value / 2;
    const end = Math.min(seen + claimed, count);
    if (isPacked)
      for (let bit = 8 * at; seen < end; seen += 1, bit += width) values[seen] = readBits(bytes, bit, width);
    else values.fill(readBits(bytes, 8 * at, 8 * Math.ceil(width / 8)), seen, end);
    seen = end;
    at += isPacked ? (claimed / 8) * width : Math.ceil(width / 8);
  }
  return values;
}

/** Values as runs of equal ones. */
export function encodeRuns(values: Uint32Array, width: number): Uint8Array {
  const bytes: number[] = [];
  for (let from = 0; from < values.length;) {
    const value = values[from] ?? 0;
    let to = from + 1;
    while (values[to] === value) to += 1;
    bytes.push(...encodeVarInt(2 * (to - from)));
    for (let bit = 0; bit < width; bit += 8) bytes.push((value >>> bit) & 0xff);
    from = to;
  }
  return Uint8Array.from(bytes);
}
