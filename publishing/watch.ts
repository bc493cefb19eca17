export interface Watch {
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** Called for every row that was read. */
  readonly progress?: () => void;
}

/** Passes the rows on and reports each, until the signal ends them. */
export async function* watchRows<Row>(
  rows: AsyncIterable<Row>,
  { signal, progress }: Watch,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    signal?.throwIfAborted();
    progress?.();
    yield row;
  }
}
