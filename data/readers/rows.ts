import type { DataFile } from '../sets/data-set';
import { findFormat } from './formats';
import { type BadLine, readJson, readJsonLines } from './json-lines';
import type { ColumnNames, Row } from './row';
import { readTableRows } from './table';

/**
 * A file's rows with these columns; memory holds one record batch or line at a time, or the column chunks of a row group. Rows of JSON are as they are
 * written, whatever they have.
 * @throws DataError when a column is missing or the file is not whole.
 */
export function readFileRows(file: DataFile, columns: ColumnNames): AsyncGenerator<Row | BadLine> {
  const format = findFormat(file.name);
  if (format === 'json-lines') return readJsonLines(file);
  if (format === 'json') return readJson(file);
  return readTableRows(file, columns);
}

/** What the file calls one: `row`, or `line`. */
export function getRowWord(file: Pick<DataFile, 'name'>): 'row' | 'line' {
  return findFormat(file.name) === 'json-lines' ? 'line' : 'row';
}
