import { open, type FileHandle } from 'node:fs/promises';
import {
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
import { notWhole, requireColumns } from './damage';
import type { DataFile } from './data-set';
import type { ColumnForm, FileColumn } from './file-columns';
import { lz4Frame } from './lz4-frame';
import type { ColumnNames, Row } from './row';
import { decoded } from './text';

/**
 * The rows of an Arrow IPC file or stream (Feather is the former), compressed or not, with these columns; memory holds
 * one record batch at a time.
 * @throws DataError when a column is missing or the file is not whole.
 */
export async function* arrowRows(
  file: Pick<DataFile, 'path' | 'name'>,
  columns: ColumnNames,
): AsyncGenerator<Row> {
  await registerCodecs();
  let before = 0;
  for await (const batch of recordBatches(file)) {
    const names = batch.schema.fields.map((field: Field) => field.name);
    requireColumns(file, columns, names);
    const values = columns.map((name) => valuesOf(childOf(batch.data, names.indexOf(name))));
    for (let index = 0; index < batch.numRows; index += 1) {
      const value = Object.fromEntries(columns.map((name, column) => [name, values[column]?.[index]]));
      yield { number: before + index + 1, value };
    }
    before += batch.numRows;
  }
}

async function registerCodecs(): Promise<void> {
  const { decompressZstd } = await import('hyparquet-compressors');
  // Copied, because Arrow's views want their bytes aligned and the codec's may begin anywhere.
  compressionRegistry.set(CompressionType.ZSTD, { decode: (bytes) => decompressZstd(bytes).slice() });
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: lz4Frame });
}

async function* recordBatches(file: Pick<DataFile, 'path' | 'name'>): AsyncGenerator<RecordBatch> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file.path);
    await requireEnd(handle);
    const reader = await RecordBatchReader.from(handle);
    await reader.open();
    for await (const batch of reader) yield batch;
  } catch (error) {
    throw await notWhole(file, 'Arrow', error);
  } finally {
    await handle?.close();
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
  throw new Error('it does not end as Arrow does');
}

/** Before each message of a stream. */
const CONTINUED = '\xff\xff\xff\xff';

/**
 * The columns of an Arrow file, in its order.
 * @throws DataError when the file is not whole
 */
export async function arrowColumns(file: Pick<DataFile, 'path' | 'name'>): Promise<FileColumn[]> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file.path);
    await requireEnd(handle);
    const reader = await RecordBatchReader.from(handle);
    await reader.open();
    return columnsOfSchema(reader.schema);
  } catch (error) {
    throw await notWhole(file, 'Arrow', error);
  } finally {
    await handle?.close();
  }
}

/** The columns of an Arrow schema, in its order. */
export function columnsOfSchema({ fields }: Pick<Schema, 'fields'>): FileColumn[] {
  return fields.map((field: Field) => ({ name: field.name, form: formOf(field.type) }));
}

function formOf(type: DataType): ColumnForm {
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type))
    return { kind: 'text' };
  if (DataType.isInt(type)) return { kind: 'whole number' };
  if (DataType.isFloat(type)) return { kind: 'fraction' };
  if (DataType.isBool(type)) return { kind: 'truth value' };
  if (DataType.isNull(type)) return { kind: 'nothing' };
  if (DataType.isDictionary(type)) return formOf(type.dictionary);
  if (DataType.isStruct(type)) return { kind: 'struct', fields: columnsOfSchema({ fields: type.children }) };
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) {
    return { kind: 'list', of: formOf(type.children[0]?.type) };
  }
  return { kind: 'other', name: Type[type.typeId].toLowerCase() };
}

/** A column's values: texts, lists and objects of these; null where there is none. */
function valuesOf(data: Data): unknown[] {
  const { type, length } = data;
  const values = presentValues(data);
  return data.nullCount === 0 || DataType.isNull(type)
    ? values
    : Array.from({ length }, (_, index) => (data.getValid(index) ? values[index] : null));
}

function presentValues(data: Data): unknown[] {
  const { type, length } = data;
  if (DataType.isUtf8(type) || DataType.isBinary(type)) {
    return textsOf(new Vector([data.clone(new Binary())]));
  }
  if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
    return textsOf(new Vector([data.clone(new LargeBinary())]));
  }
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) {
    return textsOf(new Vector([data.clone(new BinaryView())]));
  }
  if (DataType.isDictionary(type)) {
    const words = (data.dictionary?.data ?? []).flatMap((part: Data) => valuesOf(part));
    const indices: ArrayLike<number | bigint> = data.values;
    return Array.from({ length }, (_, index) => words[Number(indices[index])]);
  }
  if (DataType.isStruct(type)) {
    const names = type.children.map((field: Field) => field.name);
    const members = names.map((_, member) => valuesOf(childOf(data, member)));
    return Array.from({ length }, (_, index) =>
      Object.fromEntries(names.map((name, member) => [name, members[member]?.[index]])),
    );
  }
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    const elements = valuesOf(childOf(data, 0));
    const ends: ArrayLike<number | bigint> = data.valueOffsets;
    return Array.from({ length }, (_, index) => elements.slice(Number(ends[index]), Number(ends[index + 1])));
  }
  if (DataType.isFixedSizeList(type)) {
    const elements = valuesOf(childOf(data, 0));
    const { listSize } = type;
    return Array.from({ length }, (_, index) => elements.slice(index * listSize, (index + 1) * listSize));
  }
  return [...new Vector([data])];
}

function textsOf(vector: Vector<Binary | LargeBinary | BinaryView>): (string | Uint8Array | null)[] {
  return Array.from(vector, (bytes: Uint8Array | null) => bytes && decoded(bytes));
}

function childOf(data: Data, index: number): Data {
  const child = data.children[index];
  if (child === undefined) throw new Error('A nested Arrow column has lost its inner one.');
  return child;
}
