import type { RecordBatch, Schema } from 'apache-arrow';
import type { ColumnNames } from '../row';
import type { TableSummary } from './messages';

/** A table that a library has opened. */
export interface OpenTable {
  readonly schema: Schema;
  readonly facts: Omit<TableSummary, 'columns'>;
  /**
   * Reads record batches with these columns and maybe others, in the order of the file.
   * @param group index of the only row group to read
   */
  readBatches(columns: ColumnNames, group: number | undefined): AsyncIterable<RecordBatch>;
}
