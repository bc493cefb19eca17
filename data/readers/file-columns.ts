import type { DataFile } from '../store/named-file';
import { findFormat } from './formats';
import { readFileRows } from './rows';
import type { FileColumn } from './row';
import { describeTable } from './table';

/**
 * Reads a file's columns in its order. Returns undefined for JSON, which has none.
 * @throws DataError when the file is not whole
 */
export async function readColumns(file: DataFile): Promise<readonly FileColumn[] | undefined> {
  const format = findFormat(file.name);
  if (format === 'json-lines' || format === 'json') return undefined;
  return (await describeTable(file)).columns;
}

/** Reads the names of a file's columns. For JSON, they are those of the first row that has any. */
export async function readColumnNames(file: DataFile): Promise<string[]> {
  const columns = await readColumns(file);
  if (columns !== undefined) return columns.map(({ name }) => name);
  for await (const row of readFileRows(file, [])) {
    if ('value' in row && typeof row.value === 'object' && row.value !== null) return Object.keys(row.value);
  }
  return [];
}
