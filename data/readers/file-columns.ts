import type { DataFile } from '../sets/data-set';
import { arrowColumns } from './arrow/rows';
import { formatOf } from './formats';
import { jsonLines } from './json-lines';
import { parquetColumns } from './parquet/rows';
import type { FileColumn } from './row';

/**
 * A file's columns in its order; undefined for JSON lines, which have none.
 * @throws DataError when the file is not whole
 */
export async function columnsOf(file: DataFile): Promise<readonly FileColumn[] | undefined> {
  const format = formatOf(file.name);
  if (format === 'json-lines') return undefined;
  return format === 'arrow' ? arrowColumns(file) : parquetColumns(file);
}

/** The names of a file's columns; of JSON lines, those of the first row that has any. */
export async function columnNames(file: DataFile): Promise<string[]> {
  const columns = await columnsOf(file);
  if (columns !== undefined) return columns.map(({ name }) => name);
  for await (const row of jsonLines(file)) {
    if ('value' in row && typeof row.value === 'object' && row.value !== null) return Object.keys(row.value);
  }
  return [];
}
