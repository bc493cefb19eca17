export interface TableColumn {
  readonly title: string;
  /** Stands above all neighboring columns that have the same. */
  readonly group?: string;
}

/** The cells of a row, or a line across all columns. */
export type TableRow = readonly string[] | string;
