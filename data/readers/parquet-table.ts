import { dirname } from 'node:path';
import { createReadCache } from '../store/read-cache';
import type * as z from 'zod';
import type { NamedFile } from '../store/named-file';
import { mapValues } from '../../schemas/map-values';
import { parseRow } from './parse-row';
import type { ColumnNames } from './row';
import { describeTable, readTableRows } from './table';

/**
 * Reads the rows of a file that this program wrote, with the columns of a schema and checked by it.
 * @param fix remedy for a row in another form
 * @throws DataError that names the file, or row and field
 */
export async function* readParsedRows<Shape extends z.ZodRawShape>(
  path: string,
  schema: z.ZodObject<Shape>,
  fix: string,
): AsyncGenerator<{ readonly number: number; readonly row: z.output<z.ZodObject<Shape>> }> {
  const file = { path, name: path, within: dirname(path) };
  for await (const { number, value } of readTableRows(file, Object.keys(schema.shape))) {
    yield { number, row: parseRow(schema, convertWholeNumbers(value), `${path}, row ${number}`, fix) };
  }
}

/** The rows of a Parquet file in any order; memory holds the row groups that were read last. */
export interface ParquetTable {
  readonly rowCount: number;
  /** Rows of its largest row group: so many are in memory for each that is read. */
  readonly largestGroup: number;
  /** Reads the row of that number, from 1. Whole numbers of 64 bits come as numbers. @throws DataError when the file is not whole */
  readRow(number: number): Promise<unknown>;
}

/** @throws DataError when a column is missing or the file is not whole */
export async function openParquetTable(file: NamedFile, columns: ColumnNames): Promise<ParquetTable> {
  const { groupRows } = await describeTable(file, columns);
  const readKeptGroup = createReadCache(GROUPS_IN_MEMORY, readGroup);
  return {
    rowCount: groupRows.reduce((sum, rows) => sum + rows, 0),
    largestGroup: groupRows.reduce((largest, rows) => Math.max(largest, rows), 0),
    async readRow(number) {
      const rows = await readKeptGroup(findGroup(groupRows, number));
      return convertWholeNumbers(rows.get(number));
    },
  };

  async function readGroup(group: number): Promise<ReadonlyMap<number, unknown>> {
    const rows = new Map<number, unknown>();
    for await (const { number, value } of readTableRows(file, columns, group)) rows.set(number, value);
    return rows;
  }
}

function findGroup(groupRows: readonly number[], number: number): number {
  let end = 0;
  return groupRows.findIndex((rows) => number <= (end += rows));
}

/** Number of row groups kept in memory. A group has a hundred rows in our files, and a thousand in most others. */
const GROUPS_IN_MEMORY = 2;

/** Converts whole numbers of 64 bits to numbers, and absent values to null. */
function convertWholeNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item: unknown) => convertWholeNumbers(item) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  return mapValues({ ...value }, (member: unknown) => convertWholeNumbers(member) ?? null);
}
