/** A row as a file holds it, before anything about it is known. */
export interface Row {
  /** Counts from 1 in its file; of JSON lines, the line. */
  readonly number: number;
  readonly value: unknown;
}

/** What a column-wise format is asked for: rows of these columns only, all of which must be there. */
export type ColumnNames = readonly string[];
