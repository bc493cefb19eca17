import { INSTANCE_COLUMNS } from '../../../../data/tables/columns';

/** A value of Thrift's compact protocol, as Parquet has it. */
interface Thrift {
  readonly type: number;
  readonly bytes: Buffer;
}

const whole = (value: number, type = 5): Thrift => ({
  type,
  bytes: encodeVarInt(value < 0 ? -2 * value - 1 : 2 * value),
});
const text = (value: string): Thrift => ({
  type: 8,
  bytes: Buffer.concat([encodeVarInt(value.length), Buffer.from(value)]),
});
const list = (type: number, values: readonly Thrift[]): Thrift => ({
  type: 9,
  bytes: Buffer.concat([
    Buffer.of(0xf0 | type),
    encodeVarInt(values.length),
    ...values.map(({ bytes }) => bytes),
  ]),
});
/** Fields by their numbers; numbers above 15 would need another form. */
const struct = (fields: Readonly<Record<number, Thrift>>): Thrift => {
  let before = 0;
  const parts = Object.entries(fields).map(([name, { type, bytes }]) => {
    const delta = Number(name) - before;
    before = Number(name);
    return Buffer.concat([Buffer.of((delta << 4) | type), bytes]);
  });
  return { type: 12, bytes: Buffer.concat([...parts, Buffer.of(0)]) };
};

export function encodeVarInt(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) | 0x80);
    if (left < 128) return Buffer.from(bytes);
  }
}

interface Page {
  readonly kind?: 'data' | 'dictionary';
  readonly count: number;
  readonly encoding: number;
  /** Bytes of the page as in the file. */
  readonly packed: Buffer;
  readonly sizeBytes?: number;
}

/** Encodes a page with its header; a data page has version 1. */
export function encodePage({
  kind = 'data',
  count,
  encoding,
  packed,
  sizeBytes = packed.length,
}: Page): Buffer {
  const about = struct({ 1: whole(count), 2: whole(encoding), ...(kind === 'data' && RUNS) });
  const sizes = { 2: whole(sizeBytes), 3: whole(packed.length) };
  const header =
    kind === 'data'
      ? struct({ 1: whole(0), ...sizes, 5: about })
      : struct({ 1: whole(2), ...sizes, 7: about });
  return Buffer.concat([header.bytes, packed]);
}

/** Encodes a data page of version 2, without levels. */
export function encodeSecondPage({ count, encoding, packed }: Page): Buffer {
  const about = struct({
    1: whole(count),
    2: whole(0),
    3: whole(count),
    4: whole(encoding),
    5: whole(0),
    6: whole(0),
  });
  const sizes = { 2: whole(packed.length), 3: whole(packed.length) };
  return Buffer.concat([struct({ 1: whole(3), ...sizes, 8: about }).bytes, packed]);
}

const RUNS = { 3: whole(3), 4: whole(3) };

interface ParquetFile {
  readonly rows: number;
  readonly groups?: number;
  readonly pages: readonly Buffer[];
  readonly codec?: keyof typeof CODECS;
  readonly isOptional?: boolean;
  /** True for a footer that names an encryption of columns. */
  readonly isEncrypted?: boolean;
  /** Number of bytes that belong to no column. */
  readonly paddingBytes?: number;
}

/** Encodes a file of texts with the columns of instances, with the same pages in all columns and row groups. */
export function encodeParquet({
  rows,
  groups = 1,
  pages,
  codec = 'none',
  isOptional = false,
  isEncrypted = false,
  paddingBytes = 0,
}: ParquetFile): Buffer {
  const start = Buffer.from('PAR1');
  const content = Buffer.concat(pages);
  const names = INSTANCE_COLUMNS.fields.map(({ name }) => name);
  const schema = [
    struct({ 4: text('schema'), 5: whole(names.length) }),
    ...names.map((name) =>
      struct({ 1: whole(BYTE_ARRAY), 3: whole(isOptional ? 1 : 0), 4: text(name), 6: whole(UTF8) }),
    ),
  ];
  const columns = names.map((name) =>
    struct({
      2: whole(0, 6),
      3: struct({
        1: whole(BYTE_ARRAY),
        2: list(5, [whole(0)]),
        3: list(8, [text(name)]),
        4: whole(CODECS[codec]),
        5: whole(rows, 6),
        6: whole(content.length, 6),
        7: whole(content.length, 6),
        9: whole(start.length, 6),
      }),
    }),
  );
  const group = struct({ 1: list(12, columns), 2: whole(content.length, 6), 3: whole(rows, 6) });
  const footer = struct({
    1: whole(1),
    2: list(12, schema),
    3: whole(rows * groups, 6),
    4: list(
      12,
      Array.from({ length: groups }, () => group),
    ),
    ...(isEncrypted && { 8: struct({ 1: struct({ 2: text('file id') }) }) }),
  }).bytes;
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([start, content, Buffer.alloc(paddingBytes), footer, length, start]);
}

const BYTE_ARRAY = 6;
const UTF8 = 0;
const CODECS = { none: 0, gzip: 2, zstd: 6 } as const;
