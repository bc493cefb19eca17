import { toUSVString } from 'node:util';
import {
  type Data,
  DataType,
  type Field,
  makeData,
  RecordBatch,
  type Schema,
  Struct,
  Type,
  type TypeMap,
} from 'apache-arrow';
import { writeChunks, type WrittenFile } from '../store/files';
import type { Columns } from './columns';
import { computeMemoryBytes } from './memory-size';

/** Maximum of rows in a batch, and rows of a row group of a Parquet file: a few megabytes of dialogues. */
export const ROWS_PER_BATCH = 100;

/** Characters after which a batch ends early: a row of a million tokens has some five million. */
const CHARACTERS_PER_BATCH = 32_000_000;

export type Rows<Row> = Iterable<Row> | AsyncIterable<Row>;

/** A value that its column cannot hold; the message names the row (from 1), the column and the expected type. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

/**
 * Writes a data set's batches in some format, atomically; memory holds one batch at a time.
 * @param readFrom the format that `datasets` reads, which decides its memory use
 */
export async function writeBatches<Row extends object>(
  file: string,
  columns: Columns<Row>,
  rows: Rows<Row>,
  encode: (batches: AsyncGenerator<RecordBatch>) => AsyncGenerator<Uint8Array>,
  readFrom: 'parquet' | 'arrow' = 'arrow',
): Promise<WrittenFile> {
  const count = { rows: 0, memoryBytes: 0 };
  const writtenFile = await writeChunks(file, encode(countBatches()));
  return { ...count, ...writtenFile };

  async function* countBatches(): AsyncGenerator<RecordBatch> {
    for await (const batch of buildRecordBatches(columns, rows)) {
      count.rows += batch.numRows;
      count.memoryBytes += computeMemoryBytes(batch, readFrom);
      yield batch;
    }
  }
}

/**
 * Builds record batches of ROWS_PER_BATCH on demand, shorter ones of very long rows; a data set without rows gives one empty batch.
 * @throws RowError for a value of the wrong type, and for a text that is not well-formed Unicode
 */
export async function* buildRecordBatches<Row extends object>(
  columns: Columns<Row>,
  rows: Rows<Row>,
): AsyncGenerator<RecordBatch> {
  let batch: Row[] = [];
  let characters = 0;
  let before = 0;
  for await (const row of rows) {
    batch.push(row);
    characters += countCharacters(row);
    if (batch.length === ROWS_PER_BATCH || characters >= CHARACTERS_PER_BATCH) {
      yield recordBatch(columns, batch, before);
      before += batch.length;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0 || before === 0) yield recordBatch(columns, batch, before);
}

function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + countCharacters(member), 0);
}

function recordBatch(columns: Schema, rows: readonly object[], before: number): RecordBatch {
  const children = columns.fields.map((field) =>
    buildColumn(
      field.type,
      rows.map((row) => getMember(row, field.name)),
      (index) => `${formatRowName(rows[index], before + index + 1)}, column ${field.name}`,
    ),
  );
  const type = new Struct<TypeMap>(columns.fields);
  return new RecordBatch(columns, makeData({ type, length: rows.length, nullCount: 0, children }));
}

/** Function that names the place of the value at this index, for error messages. */
type PlaceFormatter = (index: number) => string;

function buildColumn(type: DataType, values: readonly unknown[], place: PlaceFormatter): Data {
  /** Reads values of one kind, and `absent` for those that are absent. */
  const read = <Value>(
    expected: string,
    absent: Value,
    isKind: (value: unknown) => value is Value,
  ): Value[] =>
    values.map((value, index) => {
      if (isAbsent(value)) return absent;
      if (isKind(value)) return value;
      throw createValueError(value, expected, index, place);
    });
  if (DataType.isUtf8(type)) {
    const texts = values.map((value, index) => encodeText(value, index, place));
    const valueOffsets = buildOffsets(texts.map((bytes) => bytes.length));
    return makeData({ type, ...buildValidity(values), data: Buffer.concat(texts), valueOffsets });
  }
  if (DataType.isInt(type)) {
    const data = BigInt64Array.from(
      read('a whole number', 0, (value): value is number => Number.isSafeInteger(value)),
      BigInt,
    );
    return makeData({ type, ...buildValidity(values), data });
  }
  if (DataType.isFloat(type)) {
    const data = Float64Array.from(read('a number', 0, (value): value is number => Number.isFinite(value)));
    return makeData({ type, ...buildValidity(values), data });
  }
  if (DataType.isBool(type)) {
    const data = buildBitmap(read('true or false', false, (value) => typeof value === 'boolean'));
    return makeData({ type, ...buildValidity(values), data });
  }
  if (DataType.isList(type)) {
    const lists = read<readonly unknown[]>('a list', [], Array.isArray);
    const valueOffsets = buildOffsets(lists.map((list) => list.length));
    const inList: PlaceFormatter = (index) => {
      const owner = valueOffsets.findIndex((end, at) => at > 0 && index < end) - 1;
      return `${place(owner)}[${index - (valueOffsets[owner] ?? 0)}]`;
    };
    const child = buildColumn(type.valueType, lists.flat(), inList);
    return makeData({ type, ...buildValidity(values), valueOffsets, child });
  }
  if (DataType.isStruct(type)) {
    const objects = read<object>(
      'an object',
      {},
      (value): value is object => typeof value === 'object' && !Array.isArray(value),
    );
    const children = type.children.map((field: Field) =>
      buildColumn(
        field.type,
        objects.map((value) => getMember(value, field.name)),
        (index) => `${place(index)}.${field.name}`,
      ),
    );
    return makeData({ type, ...buildValidity(values), children });
  }
  throw new Error(
    `No column of Arrow type ${Type[type.typeId]} can be written; columns.ts uses other types only.`,
  );
}

function encodeText(value: unknown, index: number, place: PlaceFormatter): Buffer {
  if (isAbsent(value)) return Buffer.alloc(0);
  if (typeof value !== 'string') throw createValueError(value, 'a text', index, place);
  // Encoding would silently turn half a surrogate pair into U+FFFD.
  const repaired = toUSVString(value);
  if (repaired !== value) {
    const at = Array.from({ length: value.length }).findIndex((_, unit) => repaired[unit] !== value[unit]);
    throw new RowError(
      `${place(index)}: half of a surrogate pair at position ${at + 1}, which UTF-8 cannot encode. ` +
        'The text was cut inside a character or decoded wrongly. Fix it at its source.',
    );
  }
  return Buffer.from(value);
}

/** Builds Arrow's bitmap of present values: none if all are present. */
function buildValidity(values: readonly unknown[]): {
  length: number;
  nullCount: number;
  nullBitmap?: Uint8Array;
} {
  const present = values.map((value) => !isAbsent(value));
  const nullCount = present.filter((is) => !is).length;
  return { length: values.length, nullCount, ...(nullCount > 0 && { nullBitmap: buildBitmap(present) }) };
}

/** Builds one bit a value, the lowest first; padded to 8 bytes, as Arrow recommends. */
function buildBitmap(bits: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits.length / 64) * 8);
  for (const [index, bit] of bits.entries()) {
    if (bit) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bytes;
}

function buildOffsets(lengths: readonly number[]): Int32Array {
  const ends = new Int32Array(lengths.length + 1);
  let end = 0;
  for (const [index, length] of lengths.entries()) {
    end += length;
    ends[index + 1] = end;
  }
  return ends;
}

function getMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const member: unknown = Reflect.get(value, name);
  return member;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function createValueError(value: unknown, expected: string, index: number, place: PlaceFormatter): RowError {
  return new RowError(`${place(index)}: expected ${expected}, found ${JSON.stringify(value)?.slice(0, 80)}.`);
}

function formatRowName(row: unknown, number: number): string {
  const persona = getMember(row, 'persona_id');
  return typeof persona === 'string' ? `Row ${number} (${toUSVString(persona)})` : `Row ${number}`;
}
