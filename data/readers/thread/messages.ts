import type { NamedFile } from '../../store/named-file';
import type { Marks } from '../../marks/marks';
import type { ColumnNames, FileColumn } from '../row';

/** The content of a Parquet or Arrow file, except for its rows. */
export interface TableSummary {
  /** In the order of the file. */
  readonly columns: readonly FileColumn[];
  /** Number of rows of each row group; empty for Arrow. */
  readonly groupRows: readonly number[];
  readonly marks: Marks;
}

/** A request to the thread that reads a table. */
export type TableRequest =
  | {
      readonly kind: 'open';
      readonly file: NamedFile;
      readonly columns: ColumnNames;
      /** Index of the only row group to read. */
      readonly group: number | undefined;
    }
  | { readonly kind: 'next' };

/** An answer of the thread. */
export type TableReply =
  | { readonly summary: TableSummary }
  /** Undefined at the end. */
  | { readonly rows: readonly unknown[] | undefined }
  /** Message of a `DataError`. */
  | { readonly failure: string };
