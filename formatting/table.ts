/** A column of a table, in a terminal or on a page. */
export interface TableColumn {
  readonly title: string;
  /** Stands above all neighboring columns that have the same. */
  readonly group?: string;
}

/** The cells of a row, or a line across all columns. */
export type TableRow = readonly string[] | string;
