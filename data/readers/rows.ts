import { arrowRows } from './arrow/rows';
import type { DataFile } from '../sets/data-set';
import { formatOf } from './formats';
import { type BadLine, jsonLines } from './json-lines';
import { parquetRows } from './parquet/rows';
import type { ColumnNames, Row } from './row';

/**
 * A file's rows with these columns; memory holds one row group, batch or line at a time. Rows of JSON lines are as they are
 * written, whatever they have.
 * @throws DataError when a column is missing or the file is not whole.
 */
export function rowsOf(file: DataFile, columns: ColumnNames): AsyncGenerator<Row | BadLine> {
  const format = formatOf(file.name);
  if (format === 'json-lines') return jsonLines(file);
  return format === 'arrow' ? arrowRows(file, columns) : parquetRows(file, columns);
}

/** What the file calls one: `row`, or `line`. */
export function wordOf(file: Pick<DataFile, 'name'>): 'row' | 'line' {
  return formatOf(file.name) === 'json-lines' ? 'line' : 'row';
}
