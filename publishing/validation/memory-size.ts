import { buildRecordBatches, ROWS_PER_BATCH } from '../../data/tables/batches';
import type { Columns } from '../../data/tables/columns';
import { computeMemoryBytes } from '../../data/tables/memory-size';

/** Counts what `datasets` will say that a Parquet file of these rows takes in memory (`num_bytes`), with a batch of rows at a time. */
export class MemorySize<Row extends object> {
  readonly #columns: Columns<Row>;
  #batch: Row[] = [];
  #bytes = 0;

  constructor(columns: Columns<Row>) {
    this.#columns = columns;
  }

  async add(row: Row): Promise<void> {
    this.#batch.push(row);
    if (this.#batch.length === ROWS_PER_BATCH) await this.end();
  }

  /** Of all rows so far. */
  async end(): Promise<number> {
    for await (const batch of buildRecordBatches(this.#columns, this.#batch)) {
      this.#bytes += computeMemoryBytes(batch, 'parquet');
    }
    this.#batch = [];
    return this.#bytes;
  }
}
