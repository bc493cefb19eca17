import { BadContent } from '../bounds';

/** A struct by the numbers of its fields, as far as this program looks at them. */
export interface ThriftStruct {
  readonly [field: number]: number | ThriftStruct;
}

/**
 * Reads a struct of Parquet's Thrift (compact protocol) and finds where it ends. Numbers and structs are kept, texts and lists are passed
 * over. Unlike Parquet's own reader, it believes no length: a few bytes there can keep the process busy for hours.
 * @throws BadContent when it is not whole
 */
export function readThrift(
  bytes: Uint8Array,
  from: number,
): { readonly value: ThriftStruct; readonly end: number } {
  const reader = new Reader(bytes, from);
  const value = reader.struct(0);
  return { value, end: reader.at };
}

const TYPE = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  text: 8,
  list: 9,
  struct: 12,
};

class Reader {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  struct(depth: number): ThriftStruct {
    if (depth > MAX_DEPTH) throw new BadContent('its metadata is nested too deeply');
    const fields: Record<number, number | ThriftStruct> = {};
    let field = 0;
    for (;;) {
      const byte = this.#byte();
      const type = byte & 15;
      if (type === TYPE.stop) return fields;
      field = byte >> 4 === 0 ? this.#zigZag() : field + (byte >> 4);
      const value = this.#value(type, depth);
      if (value !== undefined) fields[field] = value;
    }
  }

  #value(type: number, depth: number): number | ThriftStruct | undefined {
    if (type === TYPE.true || type === TYPE.false) return type === TYPE.true ? 1 : 0;
    if (type === TYPE.byte) return this.#byte();
    if (type === TYPE.i16 || type === TYPE.i32 || type === TYPE.i64) return this.#zigZag();
    if (type === TYPE.struct) return this.struct(depth + 1);
    if (type === TYPE.double) this.#skip(8);
    else if (type === TYPE.text) this.#skip(this.#varInt());
    else if (type === TYPE.list) this.#list(depth);
    else throw new BadContent('its metadata has a type that Parquet does not use');
    return undefined;
  }

  #list(depth: number): void {
    const byte = this.#byte();
    const type = byte & 15;
    const size = byte >> 4 === 15 ? this.#varInt() : byte >> 4;
    // Each entry has at least one byte.
    if (size > this.#bytes.length - this.at) throw CUT_OFF;
    const isFlag = type === TYPE.true || type === TYPE.false;
    for (let index = 0; index < size; index += 1) this.#value(isFlag ? TYPE.byte : type, depth + 1);
  }

  #skip(count: number): void {
    if (count > this.#bytes.length - this.at) throw CUT_OFF;
    this.at += count;
  }

  #byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw CUT_OFF;
    this.at += 1;
    return byte;
  }

  #zigZag(): number {
    const folded = this.#varInt();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }

  #varInt(): number {
    let result = 0;
    for (let place = 0; place < MAX_VARINT_BYTES; place += 1) {
      const byte = this.#byte();
      result += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return result;
    }
    throw new BadContent('its metadata holds a number of too many bytes');
  }
}

const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;
const CUT_OFF = new BadContent('its metadata is cut off');

/** What `encodeThrift` writes: numbers of at most 31 bits that are not below zero, flags that are false, and structs. */
interface ThriftFields {
  readonly [field: number]: number | false | ThriftFields;
}

export function encodeThrift(fields: ThriftFields): number[] {
  let before = 0;
  const bytes = Object.entries(fields).flatMap(([name, value]) => {
    const step = (Number(name) - before) << 4;
    before = Number(name);
    if (value === false) return [step | TYPE.false];
    if (typeof value === 'number') return [step | TYPE.i32, ...encodeVarInt(2 * value)];
    return [step | TYPE.struct, ...encodeThrift(value)];
  });
  return [...bytes, TYPE.stop];
}

/** Seven bits a byte, the lowest first. */
export function encodeVarInt(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encodeVarInt(value >>> 7)];
}
