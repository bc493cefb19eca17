/** A row as a file holds it, before anything about it is known. */
export interface Row {
  /** Counts from 1 in its file; of JSON lines, the line. */
  readonly number: number;
  readonly value: unknown;
}

/** Columns requested from a column-wise format. Each of them must exist once. */
export type ColumnNames = readonly string[];

/** Form of a column's values, independent of the format's type: texts are texts, however wide their offsets. */
export type ColumnForm =
  | { readonly kind: 'text' | 'whole number' | 'fraction' | 'truth value' }
  /** Null in every row: it may stand for anything. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'list'; readonly of: ColumnForm }
  | { readonly kind: 'struct'; readonly fields: readonly FileColumn[] }
  /** Nothing that CUPID has; by its format's name. */
  | { readonly kind: 'other'; readonly name: string };

export interface FileColumn {
  readonly name: string;
  readonly form: ColumnForm;
}
