import type { DataFile } from '../store/named-file';
import { findFormat } from './formats';
import { type BadLine, readJson, readJsonLines } from './json-lines';
import type { ColumnNames, Row } from './row';
import { readTableRows } from './table';

/**
 * Reads a file's rows with these columns; rows of JSON come with all they have. Memory holds one record batch or line at a time, or the
 * column chunks of a row group.
 * @throws DataError when a column is missing or the file is not whole.
 */
export function readFileRows(file: DataFile, columns: ColumnNames): AsyncGenerator<Row | BadLine> {
  const format = findFormat(file.name);
  if (format === 'json-lines') return readJsonLines(file);
  if (format === 'json') return readJson(file);
  return readTableRows(file, columns);
}

/** Returns the word for a row of this file. */
export function getRowWord(file: Pick<DataFile, 'name'>): 'row' | 'line' {
  return findFormat(file.name) === 'json-lines' ? 'line' : 'row';
}
