import { type RecordBatch, Schema, Table, tableToIPC } from 'apache-arrow';
import type { RecordBatch as ParquetBatch, Table as ParquetTable } from 'parquet-wasm/node';
import { buildMetadata, type Marks } from '../marks/marks';
import { ROWS_PER_BATCH, writeBatches, type Rows } from './batches';
import type { Columns } from './columns';
import type { WrittenFile } from '../store/files';
import { findExceededLimit } from '../store/machine-limits';

/**
 * Writes a data set as Parquet (zstd, a row group per batch, page index), atomically. Memory holds one batch at a time, and the same rows
 * give the same bytes.
 * @param marks facts for the file's metadata
 * @throws RowError, and any error of the rows; the file then stays unchanged
 */
export async function writeParquet<Row extends object>(
  file: string,
  columns: Columns<Row>,
  rows: Rows<Row>,
  marks: Marks = {},
): Promise<WrittenFile> {
  const schema = new Schema(columns.fields, buildMetadata(marks));
  return writeBatches(file, columns, rows, (batches) => encodeParquet(batches, schema), 'parquet');
}

async function* encodeParquet(
  batches: AsyncGenerator<RecordBatch>,
  schema: Schema,
): AsyncGenerator<Uint8Array> {
  const library = loadParquetLibrary();
  const { Compression, transformParquetStream, WriterPropertiesBuilder } = library;
  const { metadata } = schema;
  const source = new BatchSource(batches, schema, library.Table);
  const builder = new WriterPropertiesBuilder()
    .setCompression(Compression.ZSTD)
    .setMaxRowGroupSize(ROWS_PER_BATCH);
  const properties = (metadata.size === 0 ? builder : builder.setKeyValueMetadata(metadata)).build();
  let ending = Buffer.alloc(0);
  try {
    const output: ReadableStream<Uint8Array> = await transformParquetStream(source.stream, properties);
    for await (const chunk of output) {
      ending = Buffer.concat([ending, chunk.subarray(-MAGIC.length)]).subarray(-MAGIC.length);
      yield chunk;
    }
  } finally {
    // The writer reads on to the end when its output is no longer read. When its input fails, it ends its output silently, or with an error
    // that hides the cause.
    source.stop();
    // The rows may come from files of a folder that is removed after this.
    await batches.return(undefined);
    source.throwFailure();
  }
  if (ending.toString('latin1') !== MAGIC) {
    throw new Error(
      'The Parquet writer stopped before the end of the file. This is a defect; please report it.',
    );
  }
}

/**
 * Loads the library on first use: it takes a quarter of a second, and most commands write no table before they answer.
 * @throws MachineLimit when it cannot reserve its memory
 */
export function loadParquetLibrary(): typeof import('parquet-wasm/node') {
  try {
    return require('parquet-wasm/node');
  } catch (error) {
    throw findExceededLimit(error) ?? error;
  }
}

const MAGIC = 'PAR1';

/** Batches for the writer. A failed one ends the stream, and the reader of the output gets the error. */
class BatchSource {
  readonly stream: ReadableStream<ParquetBatch>;
  #stopped = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(batches: AsyncGenerator<RecordBatch>, schema: Schema, tables: typeof ParquetTable) {
    this.stream = new ReadableStream<ParquetBatch>(
      {
        pull: async (controller) => {
          try {
            const next = this.#stopped ? await batches.return(undefined) : await batches.next();
            if (next.done === true) controller.close();
            else controller.enqueue(buildParquetBatch(new Table(schema, [next.value]), tables));
          } catch (error) {
            this.#failure = { error };
            controller.error(error);
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  stop(): void {
    this.#stopped = true;
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Converts a batch into the writer's memory, which the writer frees. pyarrow reads metadata from its schema, other readers from the file. */
function buildParquetBatch(batch: Table, tables: typeof ParquetTable): ParquetBatch {
  const table = tables.fromIPCStream(tableToIPC(batch, 'stream'));
  try {
    const [only, ...otherBatches] = table.recordBatches();
    if (only === undefined || otherBatches.length > 0)
      throw new Error('The Parquet writer split a batch. This is a defect; please report it.');
    return only;
  } finally {
    table.free();
  }
}
