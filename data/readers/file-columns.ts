import type { DataFile } from '../sets/data-set';
import { readArrowColumns } from './arrow/rows';
import { findFormat } from './formats';
import { readParquetColumns } from './parquet/rows';
import { readFileRows } from './rows';
import type { FileColumn } from './row';

/**
 * A file's columns in its order; undefined for JSON, which has none.
 * @throws DataError when the file is not whole
 */
export async function readColumns(file: DataFile): Promise<readonly FileColumn[] | undefined> {
  const format = findFormat(file.name);
  if (format === 'json-lines' || format === 'json') return undefined;
  return format === 'arrow' ? readArrowColumns(file) : readParquetColumns(file);
}

/** The names of a file's columns; of JSON, those of the first row that has any. */
export async function readColumnNames(file: DataFile): Promise<string[]> {
  const columns = await readColumns(file);
  if (columns !== undefined) return columns.map(({ name }) => name);
  for await (const row of readFileRows(file, [])) {
    if ('value' in row && typeof row.value === 'object' && row.value !== null) return Object.keys(row.value);
  }
  return [];
}
