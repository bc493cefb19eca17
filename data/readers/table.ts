import { requireAsWritten } from '../outputs/as-written';
import type { NamedFile } from '../store/named-file';
import type { ColumnNames, Row } from './row';
import type { TableSummary } from './thread/messages';
import { TableThread } from './thread/table-thread';

/**
 * Returns the content of a Parquet or Arrow file, except for its rows.
 * @param columns columns that it must have
 * @throws DataError when a column is missing or repeated, or the file is not whole or not what its run wrote
 */
export async function describeTable(file: NamedFile, columns: ColumnNames = []): Promise<TableSummary> {
  await requireAsWritten(file);
  const thread = TableThread.take(file);
  try {
    return await thread.open(columns);
  } finally {
    thread.release();
  }
}

/**
 * Reads the rows of a Parquet or Arrow file of any writer, with these columns. Memory holds twenty of them, and the column chunks
 * of a row group as they are in the file, or a record batch.
 * @param group index of the only row group to read
 * @throws DataError when a column is missing, the file is not whole or not what its run wrote, or its rows exceed the limits
 */
export async function* readTableRows(
  file: NamedFile,
  columns: ColumnNames,
  group?: number,
): AsyncGenerator<Row> {
  await requireAsWritten(file);
  const thread = TableThread.take(file);
  try {
    const { groupRows } = await thread.open(columns, group);
    let number = groupRows.slice(0, group ?? 0).reduce((sum, rows) => sum + rows, 0);
    for (;;) {
      const rows = await thread.readNext();
      if (rows === undefined) break;
      for (const value of rows) yield { number: (number += 1), value };
    }
  } finally {
    thread.release();
  }
}
