import { isUtf8 } from 'node:buffer';
import { BinaryView, type Data, DataType, type Field, type RecordBatch, Type, Vector } from 'apache-arrow';
import { BadContent, type Claims } from '../bounds';
import type { ColumnNames } from '../row';
import { decodeText } from '../text';

/**
 * Returns rows with these columns, which the batch has.
 * @throws BadContent
 */
export function decodeRows(batch: RecordBatch, columns: ColumnNames, claims: Claims): unknown[] {
  claims.begin(batch.numRows);
  const names = batch.schema.fields.map((field: Field) => field.name);
  const values = columns.map((name) => decodeValues(getChild(batch.data, names.indexOf(name)), claims));
  const rows = buildObjects(batch.numRows, columns, values);
  claims.addRow(rows);
  return rows;
}

/** Decodes a column's values: texts, lists and objects of these, and null for absent ones. */
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
  if ([Type.Utf8, Type.Binary, Type.LargeUtf8, Type.LargeBinary].includes(type.typeId)) {
    return decodeTexts(data);
  }
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type))
    return Array.from(new Vector([data.clone(new BinaryView())]), (bytes) => bytes && decodeText(bytes));
  if (DataType.isDictionary(type)) {
    const words = decodeDictionary(data.dictionary, claims);
    const indices: ArrayLike<number | bigint> = data.values;
    return Array.from({ length }, (_, index) => words[Number(indices[index])]);
  }
  if (DataType.isStruct(type)) {
    const names = type.children.map((field: Field) => field.name);
    const members = names.map((_, member) => decodeValues(getChild(data, member), claims));
    return buildObjects(length, names, members);
  }
  if (DataType.isList(type) || DataType.isLargeList(type)) {
    const child = getChild(data, 0);
    requireOffsets(data, child.length);
    const ends: ArrayLike<number | bigint> = data.valueOffsets;
    const start = Number(ends[0] ?? 0);
    const elements = decodeValues(child.slice(start, Number(ends[length] ?? 0) - start), claims);
    return Array.from({ length }, (_, index) =>
      elements.slice(Number(ends[index]) - start, Number(ends[index + 1]) - start),
    );
  }
  if (DataType.isFixedSizeList(type)) {
    const elements = decodeValues(getChild(data, 0), claims);
    const { listSize } = type;
    return Array.from({ length }, (_, index) => elements.slice(index * listSize, (index + 1) * listSize));
  }
  // Values of other nested types, such as maps, are views, which cannot be passed to another thread.
  return Array.from(new Vector([data]), (value: unknown) =>
    typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? Type[type.typeId] : value,
  );
}

/** The record batches of a file share their dictionaries. */
const dictionaries = new WeakMap<Vector, unknown[]>();

function decodeDictionary(dictionary: Vector | undefined, claims: Claims): unknown[] {
  if (dictionary === undefined) return [];
  const knownWords = dictionaries.get(dictionary);
  if (knownWords !== undefined) return knownWords;
  const words = dictionary.data.flatMap((part: Data) => decodeValues(part, claims));
  dictionaries.set(dictionary, words);
  return words;
}

/**
 * Rejects offsets that go back, because they would return the same content any number of times.
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

/** Decodes texts that are one after the other in memory. That they are UTF-8 is checked once for all. */
function decodeTexts(data: Data): (string | Uint8Array)[] {
  const values: Uint8Array = data.values;
  requireOffsets(data, values.length);
  const offsets: ArrayLike<number | bigint> = data.valueOffsets;
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.length);
  const end = Number(offsets[data.length] ?? 0);
  const areTexts = isUtf8(bytes.subarray(Number(offsets[0] ?? 0), end));
  const isCut = (at: number) => at < end && ((bytes[at] ?? 0) & 0xc0) === 0x80;
  return Array.from({ length: data.length }, (_, index) => {
    const from = Number(offsets[index]);
    const to = Number(offsets[index + 1]);
    // A text that begins or ends within a character is not UTF-8.
    if (!areTexts || isCut(from) || isCut(to)) return decodeText(values.subarray(from, to));
    return bytes.toString('utf8', from, to);
  });
}

/** Builds objects from the values of each of their members. */
function buildObjects(
  length: number,
  names: readonly string[],
  members: readonly (readonly unknown[])[],
): object[] {
  // Members of a copy are its own, whatever their names: `__proto__` changes no prototype.
  const blank: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, undefined]));
  return Array.from({ length }, (_, index) => {
    const object = { ...blank };
    for (let member = 0; member < names.length; member += 1)
      object[names[member] ?? ''] = members[member]?.[index];
    return object;
  });
}

function getChild(data: Data, index: number): Data {
  const child = data.children[index];
  if (child === undefined) throw new BadContent('a nested column has no inner one');
  return child;
}
