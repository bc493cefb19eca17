export interface TableColumn {
  readonly title: string;
  /** Title above all neighboring columns with the same group. */
  readonly group?: string;
}

/** The cells of a row, or a line across all columns. */
export type TableRow = readonly string[] | string;
