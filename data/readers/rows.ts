import { readArrowRows } from './arrow/rows';
import type { DataFile } from '../sets/data-set';
import { findFormat } from './formats';
import { type BadLine, readJson, readJsonLines } from './json-lines';
import { readParquetRows } from './parquet/rows';
import type { ColumnNames, Row } from './row';

/**
 * A file's rows with these columns; memory holds one row group, batch or line at a time. Rows of JSON are as they are
 * written, whatever they have.
 * @throws DataError when a column is missing or the file is not whole.
 */
export function readFileRows(file: DataFile, columns: ColumnNames): AsyncGenerator<Row | BadLine> {
  const format = findFormat(file.name);
  if (format === 'json-lines') return readJsonLines(file);
  if (format === 'json') return readJson(file);
  return format === 'arrow' ? readArrowRows(file, columns) : readParquetRows(file, columns);
}

/** What the file calls one: `row`, or `line`. */
export function getRowWord(file: Pick<DataFile, 'name'>): 'row' | 'line' {
  return findFormat(file.name) === 'json-lines' ? 'line' : 'row';
}
