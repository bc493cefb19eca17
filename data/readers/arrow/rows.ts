import type { FileHandle } from 'node:fs/promises';
import {
  type AsyncRecordBatchFileReader,
  Binary,
  BinaryView,
  compressionRegistry,
  CompressionType,
  type Data,
  DataType,
  type Field,
  LargeBinary,
  type RecordBatch,
  RecordBatchReader,
  type Schema,
  Type,
  Vector,
} from 'apache-arrow';
import { findEntry, openFile } from '../../store/own-file';
import { requireMetadata } from './metadata';
import { BadContent, Claims } from '../bounds';
import { createColumnError, createDamageError, requireColumns } from '../damage';
import type { NamedFile } from '../../sets/data-set';
import { decompressLz4Frame } from './lz4-frame';
import type { ColumnNames, Row, ColumnForm, FileColumn } from '../row';
import { decodeText } from '../text';
import { loadZstdUnpacker } from '../zstd';

/**
 * The rows of an Arrow IPC file or stream (Feather is the former), compressed or not, with these columns; memory holds
 * one record batch at a time.
 * @throws DataError when a column is missing or the file is not whole.
 */
export async function* readArrowRows(file: NamedFile, columns: ColumnNames): AsyncGenerator<Row> {
  const found = await findEntry(file.path, file.within);
  const claims = new Claims(found?.size ?? 0);
  let before = 0;
  for await (const batch of recordBatches(file)) {
    const names = batch.schema.fields.map((field: Field) => field.name);
    requireColumns(file, columns, names);
    for (const value of await batchRows(batch, names)) {
      before += 1;
      yield { number: before, value };
    }
  }

  async function batchRows(batch: RecordBatch, names: readonly string[]): Promise<unknown[]> {
    try {
      const what = `the record batch from row ${before + 1} on`;
      claims.begin(batch.numRows, what);
      const values = columns.map((name) => columnValues(batch, names.indexOf(name), name, what));
      const rows = Array.from({ length: batch.numRows }, (_, index) =>
        Object.fromEntries(columns.map((name, column) => [name, values[column]?.[index]])),
      );
      claims.addRow(rows);
      return rows;
    } catch (error) {
      throw await createDamageError(file, 'Arrow', error);
    }
  }

  function columnValues(batch: RecordBatch, index: number, name: string, what: string): unknown[] {
    try {
      return decodeValues(getChild(batch.data, index), claims);
    } catch (error) {
      throw createColumnError(name, what, error);
    }
  }
}

async function registerCodecs(): Promise<void> {
  const unpackZstd = await loadZstdUnpacker();
  compressionRegistry.set(CompressionType.ZSTD, {
    decode: (bytes) => unpackZstd(bytes, readClaimedSize(bytes)),
  });
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    decode: (bytes) => decompressLz4Frame(bytes, readClaimedSize(bytes)),
  });
}

/** Arrow puts the size before the bytes, where it was checked; the library does not hand it over. */
function readClaimedSize(packed: Uint8Array): number {
  return Number(new DataView(packed.buffer, packed.byteOffset - 8).getBigInt64(0, true));
}

async function* recordBatches(file: NamedFile): AsyncGenerator<RecordBatch> {
  let handle: FileHandle | undefined;
  try {
    handle = await openFile(file.path, file.within);
    const reader = await openReader(handle);
    if (reader.isFile() && reader.isAsync()) yield* readBatches(reader);
    else for await (const batch of reader) yield batch;
  } catch (error) {
    throw await createDamageError(file, 'Arrow', error);
  } finally {
    await handle?.close();
  }
}

async function openReader(handle: FileHandle) {
  // Dictionaries are unpacked when the file is opened.
  await registerCodecs();
  await requireEnd(handle);
  await requireMetadata(handle);
  const reader = await RecordBatchReader.from(handle);
  return await reader.open();
}

/** By the index at the file's end. The library's own loop never ends when the index points at something other than a batch. */
async function* readBatches(reader: AsyncRecordBatchFileReader): AsyncGenerator<RecordBatch> {
  const count = reader.numRecordBatches;
  for (let index = 0; index < count; index += 1) {
    const batch = await reader.readRecordBatch(index);
    if (batch === null)
      throw new BadContent(`record batch ${index + 1} of ${count} is not where the index says`);
    yield batch;
  }
}

/** A file ends as it begins, and a stream with its end mark; the library takes a stream that was cut off for a short one. */
async function requireEnd(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const first = await handle.read(Buffer.alloc(8), 0, 8, 0);
  const last = await handle.read(Buffer.alloc(8), 0, 8, Math.max(0, size - 8));
  const start = first.buffer.toString('latin1');
  const end = last.buffer.toString('latin1');
  if (size >= 8 && start.startsWith('ARROW1') && end.endsWith('ARROW1')) return;
  if (size >= 8 && start.startsWith(CONTINUED) && end === `${CONTINUED}\0\0\0\0`) return;
  throw new BadContent('it does not end as Arrow does');
}

/** Before each message of a stream. */
const CONTINUED = '\xff\xff\xff\xff';

/**
 * The columns of an Arrow file, in its order.
 * @throws DataError when the file is not whole
 */
export async function readArrowColumns(file: NamedFile): Promise<FileColumn[]> {
  let handle: FileHandle | undefined;
  try {
    handle = await openFile(file.path, file.within);
    const reader = await openReader(handle);
    return listSchemaColumns(reader.schema);
  } catch (error) {
    throw await createDamageError(file, 'Arrow', error);
  } finally {
    await handle?.close();
  }
}

/** The columns of an Arrow schema, in its order. */
export function listSchemaColumns({ fields }: Pick<Schema, 'fields'>): FileColumn[] {
  return fields.map((field: Field) => ({ name: field.name, form: getForm(field.type) }));
}

function getForm(type: DataType): ColumnForm {
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type))
    return { kind: 'text' };
  if (DataType.isInt(type)) return { kind: 'whole number' };
  if (DataType.isFloat(type)) return { kind: 'fraction' };
  if (DataType.isBool(type)) return { kind: 'truth value' };
  if (DataType.isNull(type)) return { kind: 'nothing' };
  if (DataType.isDictionary(type)) return getForm(type.dictionary);
  if (DataType.isStruct(type))
    return { kind: 'struct', fields: listSchemaColumns({ fields: type.children }) };
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) {
    return { kind: 'list', of: getForm(type.children[0]?.type) };
  }
  return { kind: 'other', name: Type[type.typeId].toLowerCase() };
}

/** A column's values: texts, lists and objects of these; null where there is none. */
export function decodeValues(data: Data, claims: Claims): unknown[] {
  const { type, length } = data;
  const values = decodePresentValues(data, claims);
  return data.nullCount === 0 || DataType.isNull(type)
    ? values
    : Array.from({ length }, (_, index) => (data.getValid(index) ? values[index] : null));
}

function decodePresentValues(data: Data, claims: Claims): unknown[] {
  const { type, length } = data;
  claims.addValues(length);
  if (DataType.isNull(type)) return Array.from({ length }, () => null);
  if (DataType.isUtf8(type) || DataType.isBinary(type)) {
    requireOffsets(data, data.values.length);
    return decodeTexts(new Vector([data.clone(new Binary())]));
  }
  if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
    requireOffsets(data, data.values.length);
    return decodeTexts(new Vector([data.clone(new LargeBinary())]));
  }
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) {
    requireViews(data, claims);
    return decodeTexts(new Vector([data.clone(new BinaryView())]));
  }
  if (DataType.isDictionary(type)) {
    const words = (data.dictionary?.data ?? []).flatMap((part: Data) => decodeValues(part, claims));
    const indices: ArrayLike<number | bigint> = data.values;
    return Array.from({ length }, (_, index) => words[Number(indices[index])]);
  }
  if (DataType.isStruct(type)) {
    const names = type.children.map((field: Field) => field.name);
    const members = names.map((_, member) => decodeValues(getChild(data, member), claims));
    return Array.from({ length }, (_, index) =>
      Object.fromEntries(names.map((name, member) => [name, members[member]?.[index]])),
    );
  }
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    const elements = decodeValues(getChild(data, 0), claims);
    requireOffsets(data, elements.length);
    const ends: ArrayLike<number | bigint> = data.valueOffsets;
    return Array.from({ length }, (_, index) => elements.slice(Number(ends[index]), Number(ends[index + 1])));
  }
  if (DataType.isFixedSizeList(type)) {
    const elements = decodeValues(getChild(data, 0), claims);
    const { listSize } = type;
    return Array.from({ length }, (_, index) => elements.slice(index * listSize, (index + 1) * listSize));
  }
  return [...new Vector([data])];
}

/**
 * Offsets that go back would hand out the same content any number of times.
 * @throws BadContent unless each value begins where the one before ends, up to where there is no more
 */
function requireOffsets({ length, valueOffsets }: Data, end: number): void {
  const offsets: ArrayLike<number | bigint> = valueOffsets;
  if (length === 0) return;
  let before = Number(offsets[0]);
  for (let index = 0; index <= length; index += 1) {
    const offset = Number(offsets[index]);
    if (!(offset >= before && offset <= end && offset >= 0)) throw new BadContent('its offsets are damaged');
    before = offset;
  }
}

/** @throws BadContent when views, which may overlap, hold too much text */
function requireViews({ length, values }: Data, claims: Claims): void {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  if (view.byteLength < length * VIEW_BYTES) throw new BadContent('its views are cut off');
  let sizeBytes = 0;
  for (let index = 0; index < length; index += 1) sizeBytes += view.getUint32(index * VIEW_BYTES, true);
  claims.addBytes(sizeBytes);
}

const VIEW_BYTES = 16;

function decodeTexts(vector: Vector<Binary | LargeBinary | BinaryView>): (string | Uint8Array | null)[] {
  return Array.from(vector, (bytes: Uint8Array | null) => bytes && decodeText(bytes));
}

function getChild(data: Data, index: number): Data {
  const child = data.children[index];
  if (child === undefined) throw new BadContent('a nested column has no inner one');
  return child;
}
