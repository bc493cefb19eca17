import { dirname } from 'node:path';
import type { SchemaTree } from 'hyparquet';
import { LRUCache } from 'lru-cache';
import type { NamedFile } from '../../sets/data-set';
import { Claims } from '../bounds';
import { requireColumns } from '../damage';
import type { ColumnForm, ColumnNames, FileColumn, Row } from '../row';
import { openParquet } from './file';
import { openGroup, type ParquetGroup } from './row-group';
import type { z } from 'zod';
import { parseRow } from '../parse-row';

/**
 * The rows of a Parquet file of any writer, with these columns; memory holds one row group at a time, or a part of a large one.
 * @throws DataError when a column is missing or the file is not whole.
 */
export async function* readParquetRows(file: NamedFile, columns: ColumnNames): AsyncGenerator<Row> {
  const { groups, bytes } = await openGroups(file, columns);
  const claims = new Claims(bytes);
  for (const group of groups) {
    let number = group.before;
    for await (const part of group.readParts(claims)) {
      for (const value of part) yield { number: (number += 1), value };
    }
  }
}

/**
 * The rows of a file that this program wrote, each in the form of a schema, of which it has the columns.
 * @param fix what to do about a row in another form
 * @throws DataError that names the file, or row and field
 */
export async function* readParsedRows<Shape extends z.ZodRawShape>(
  path: string,
  schema: z.ZodObject<Shape>,
  fix: string,
): AsyncGenerator<{ readonly number: number; readonly row: z.output<z.ZodObject<Shape>> }> {
  const file = { path, name: path, within: dirname(path) };
  for await (const { number, value } of readParquetRows(file, Object.keys(schema.shape))) {
    yield { number, row: parseRow(schema, convertWholeNumbers(value), `${path}, row ${number}`, fix) };
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
export async function openParquetTable(file: NamedFile, columns: ColumnNames): Promise<ParquetTable> {
  const { groups, bytes } = await openGroups(file, columns);
  const latest = new LRUCache<ParquetGroup, Promise<unknown[]>>({ max: GROUPS_IN_MEMORY });
  return {
    rowCount: groups.reduce((sum, { rows }) => sum + rows, 0),
    largestGroup: groups.reduce((most, { rows }) => Math.max(most, rows), 0),
    async readRow(number) {
      const group = groups.findLast(({ before }) => before < number);
      if (group === undefined) return undefined;
      const reading = latest.get(group) ?? group.read(new Claims(bytes));
      latest.set(group, reading);
      reading.catch(() => latest.delete(group));
      return convertWholeNumbers((await reading)[number - group.before - 1]);
    },
  };
}

/** Of a hundred rows in our files, of a thousand in those of most others. */
const GROUPS_IN_MEMORY = 2;

/** A row whose whole numbers of 64 bits are numbers, and in which null stands where there is nothing. */
function convertWholeNumbers(row: unknown): unknown {
  if (row === undefined) return undefined;
  const text = JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : (value ?? null),
  );
  return JSON.parse(text);
}

async function openGroups(
  file: NamedFile,
  columns: ColumnNames,
): Promise<{ readonly groups: readonly ParquetGroup[]; readonly bytes: number }> {
  const opened = await openParquet(file);
  requireColumns(
    file,
    columns,
    opened.schema.children.map((child) => child.element.name),
  );
  const groups: ParquetGroup[] = [];
  let rows = 0;
  for (const group of opened.metadata.row_groups) {
    groups.push(openGroup(opened, group, rows, columns));
    rows += Number(group.num_rows);
  }
  return { groups, bytes: opened.buffer.byteLength };
}

/**
 * The columns of a Parquet file, in its order.
 * @throws DataError when the file is not whole
 */
export async function readParquetColumns(file: NamedFile): Promise<FileColumn[]> {
  const { schema } = await openParquet(file);
  return listFields(schema);
}

/** The key of a file's metadata that marks its rows as simulated. */
export const SIMULATED_KEY = 'cupid.simulated';

/** Whether the file's metadata mark its rows as simulated. */
export async function isMarkedSimulated(file: NamedFile): Promise<boolean> {
  const { metadata } = await openParquet(file);
  return (
    metadata.key_value_metadata?.some(({ key, value }) => key === SIMULATED_KEY && value === 'true') === true
  );
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
