import { type BrotliOptions, brotliDecompressSync, gunzipSync, type ZlibOptions } from 'node:zlib';
import type { AsyncBuffer, Compressors, FileMetaData, RowGroup, SchemaTree } from 'hyparquet';
import { LRUCache } from 'lru-cache';
import { BadContent, Claims } from '../bounds';
import type { DataFile } from '../../sets/data-set';
import { createColumnError, createDamageError, requireColumns } from '../damage';
import { checkPages } from './pages';
import { readThrift } from './thrift';
import type { ColumnNames, Row, ColumnForm, FileColumn } from '../row';
import { decodeText } from '../text';
import { loadZstdUnpacker } from '../zstd';

/**
 * The rows of a Parquet file of any writer, with these columns; memory holds one row group at a time.
 * @throws DataError when a column is missing or the file is not whole.
 */
export async function* readParquetRows(
  file: Pick<DataFile, 'path' | 'name'>,
  columns: ColumnNames,
): AsyncGenerator<Row> {
  const { groups, bytes, readGroup } = await openGroups(file, columns);
  const claims = new Claims(bytes);
  for (const group of groups) {
    let { before } = group;
    for (const value of await readGroup(group, claims)) {
      before += 1;
      yield { number: before, value };
    }
  }
}

/** The rows of a Parquet file in any order; memory holds the row groups that were read last. */
export interface ParquetTable {
  readonly rowCount: number;
  /** Rows of its largest row group: so many are in memory for each that is read. */
  readonly largestGroup: number;
  /** The row of that number, from 1; whole numbers of 64 bits come as numbers. @throws DataError when the file is not whole */
  readRow(number: number): Promise<unknown>;
}

/** @throws DataError when a column is missing or the file is not whole */
export async function openParquetTable(
  file: Pick<DataFile, 'path' | 'name'>,
  columns: ColumnNames,
): Promise<ParquetTable> {
  const { groups, bytes, readGroup } = await openGroups(file, columns);
  const latest = new LRUCache<ParquetGroup, Promise<unknown[]>>({ max: GROUPS_IN_MEMORY });
  return {
    rowCount: groups.reduce((sum, { group }) => sum + Number(group.num_rows), 0),
    largestGroup: groups.reduce((most, { group }) => Math.max(most, Number(group.num_rows)), 0),
    async readRow(number) {
      const group = groups.findLast(({ before }) => before < number);
      if (group === undefined) return undefined;
      const reading = latest.get(group) ?? readGroup(group, new Claims(bytes));
      latest.set(group, reading);
      reading.catch(() => latest.delete(group));
      return convertWholeNumbers((await reading)[number - group.before - 1]);
    },
  };
}

/** Of a hundred rows in our files, of a thousand in those of most others. */
const GROUPS_IN_MEMORY = 2;

/** A row whose whole numbers of 64 bits are numbers, and in which null stands where there is nothing. */
export function convertWholeNumbers(row: unknown): unknown {
  if (row === undefined) return undefined;
  const text = JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : (value ?? null),
  );
  return JSON.parse(text);
}

interface ParquetGroup {
  readonly group: RowGroup;
  /** Rows of the file that stand before its own. */
  readonly before: number;
}

async function openGroups(
  file: Pick<DataFile, 'path' | 'name'>,
  columns: ColumnNames,
): Promise<{
  readonly groups: readonly ParquetGroup[];
  readonly bytes: number;
  readonly readGroup: (group: ParquetGroup, claims: Claims) => Promise<unknown[]>;
}> {
  const { library, buffer, metadata, schema } = await openFile(file);
  requireColumns(
    file,
    columns,
    schema.children.map((child) => child.element.name),
  );
  const groups: ParquetGroup[] = [];
  let rows = 0;
  for (const group of metadata.row_groups) {
    groups.push({ group, before: rows });
    rows += Number(group.num_rows);
  }
  return { groups, bytes: buffer.byteLength, readGroup };

  async function readGroup({ group, before }: ParquetGroup, claims: Claims): Promise<unknown[]> {
    const what = `the row group from row ${before + 1} on`;
    try {
      claims.begin(Number(group.num_rows), what);
      await checkColumns(group, what, claims);
      const values = await library.parquetReadObjects({
        file: buffer,
        // With all row groups, the library would go through them again for each.
        metadata: { ...metadata, row_groups: [group] },
        columns: [...columns],
        compressors: library.compressors,
        parsers: { stringFromBytes: decodeIfPresent, jsonFromBytes: decodeIfPresent },
      });
      claims.addRow(values);
      return values;
    } catch (error) {
      throw await createDamageError(file, 'Parquet', error);
    }
  }

  async function checkColumns(group: RowGroup, what: string, claims: Claims): Promise<void> {
    for (const { meta_data: about } of group.columns) {
      const [name] = about?.path_in_schema ?? [];
      if (about === undefined || name === undefined || !columns.includes(name)) continue;
      const from = Number(about.dictionary_page_offset || about.data_page_offset);
      const to = from + Number(about.total_compressed_size);
      if (!(from >= 0 && to >= from && to <= buffer.byteLength)) throw new BadContent('a column is cut off');
      try {
        const bytes = new Uint8Array(await buffer.slice(from, to));
        const { codec, type, path_in_schema: names } = about;
        checkPages({ bytes, codec, type, path: findPath(schema, names) }, library.compressors, claims);
      } catch (error) {
        throw createColumnError(name, what, error);
      }
    }
  }
}

/** From the root of the schema to a column. */
function findPath(schema: SchemaTree, names: readonly string[]): SchemaTree[] {
  const path = [schema];
  for (const name of names) {
    const next = path.at(-1)?.children.find(({ element }) => element.name === name);
    if (next === undefined) throw new BadContent('the schema does not have it');
    // Its parts may overlap, so that a few bytes hold any number of values.
    if (next.element.logical_type?.type === 'VARIANT')
      throw new BadContent('its type (VARIANT) is not one that can be read');
    path.push(next);
  }
  return path;
}

/**
 * The columns of a Parquet file, in its order.
 * @throws DataError when the file is not whole
 */
export async function readParquetColumns(file: Pick<DataFile, 'path' | 'name'>): Promise<FileColumn[]> {
  const { schema } = await openFile(file);
  return listFields(schema);
}

function listFields({ children }: SchemaTree): FileColumn[] {
  return children.map((child) => ({
    name: child.element.name,
    form:
      child.element.repetition_type === 'REPEATED' ? { kind: 'list', of: getForm(child) } : getForm(child),
  }));
}

function getForm(node: SchemaTree): ColumnForm {
  const { element, children } = node;
  const [repeated] = children;
  if (repeated === undefined) return getValueForm(element);
  if (element.converted_type === 'LIST' || element.logical_type?.type === 'LIST') {
    // Before the three levels of today a list had two: its elements are then what repeats.
    const [inner, ...others] = repeated.children;
    return { kind: 'list', of: getForm(inner === undefined || others.length > 0 ? repeated : inner) };
  }
  if (element.converted_type === 'MAP' || element.logical_type?.type === 'MAP') {
    return { kind: 'other', name: 'map' };
  }
  return { kind: 'struct', fields: listFields(node) };
}

function getValueForm({
  type,
  converted_type: converted,
  logical_type: logical,
}: SchemaTree['element']): ColumnForm {
  const name = logical?.type ?? converted;
  if (name === 'NULL') return { kind: 'nothing' };
  if (name === undefined || /^U?INT/.test(name)) {
    if (type === 'INT32' || type === 'INT64') return { kind: 'whole number' };
    if (type === 'FLOAT' || type === 'DOUBLE') return { kind: 'fraction' };
    if (type === 'BOOLEAN') return { kind: 'truth value' };
  }
  if (type === 'BYTE_ARRAY' && ['STRING', 'UTF8', 'ENUM', 'JSON'].includes(name ?? '')) {
    return { kind: 'text' };
  }
  return { kind: 'other', name: (name ?? type ?? 'unknown').toLowerCase() };
}

async function openFile(file: Pick<DataFile, 'path' | 'name'>): Promise<{
  readonly library: Awaited<ReturnType<typeof loadLibraries>>;
  readonly buffer: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly schema: SchemaTree;
}> {
  const library = await loadLibraries();
  try {
    const buffer = await library.asyncBufferFromFile(file.path);
    await checkFooter(buffer);
    const metadata = await library.parquetMetadataAsync(buffer, { geoparquet: false });
    return { library, buffer, metadata, schema: library.parquetSchema(metadata) };
  } catch (error) {
    throw await createDamageError(file, 'Parquet', error);
  }
}

/** What stands at the end of a file: the metadata, their length in four bytes, and the format's mark. */
async function checkFooter(buffer: AsyncBuffer): Promise<void> {
  const size = buffer.byteLength;
  const ending = new DataView(await buffer.slice(Math.max(0, size - 8), size));
  if (ending.byteLength < 8 || ending.getUint32(4, true) !== MAGIC)
    throw new BadContent('its end is missing');
  const length = ending.getUint32(0, true);
  if (length > size - 8) throw new BadContent('its metadata is cut off');
  if (length > MAX_METADATA_BYTES) throw new BadContent('its metadata is longer than 16 MB');
  readThrift(new Uint8Array(await buffer.slice(size - 8 - length, size - 8)), 0);
}

/** "PAR1" */
const MAGIC = 0x3152_4150;
const MAX_METADATA_BYTES = 16_000_000;

// Both are ES modules only.
async function loadLibraries(): Promise<typeof import('hyparquet') & { readonly compressors: Compressors }> {
  const [hyparquet, { compressors }, unpackZstd] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
    loadZstdUnpacker(),
  ]);
  return {
    ...hyparquet,
    compressors: {
      ...compressors,
      // Node's own are several times as fast.
      GZIP: (packed, size) => unpackWith(gunzipSync, packed, size),
      BROTLI: (packed, size) => unpackWith(brotliDecompressSync, packed, size),
      ZSTD: unpackZstd,
    },
  };
}

function unpackWith(
  unpack: (packed: Uint8Array, options: ZlibOptions & BrotliOptions) => Buffer,
  packed: Uint8Array,
  size: number,
): Uint8Array {
  return size === 0 ? new Uint8Array() : unpack(packed, { maxOutputLength: size });
}

function decodeIfPresent(bytes: Uint8Array | undefined): string | Uint8Array | undefined {
  return bytes && decodeText(bytes);
}
