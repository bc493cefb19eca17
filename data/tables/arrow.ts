import { AsyncByteQueue, type RecordBatch, RecordBatchFileWriter, Schema } from 'apache-arrow';
import { buildMetadata, type Marks } from '../marks/marks';
import type { WrittenFile } from '../store/files';
import { writeBatches, type Rows } from './batches';
import type { Columns } from './columns';

/**
 * Writes a data set as an Arrow IPC file (uncompressed, so that it can be mapped into memory), atomically. Memory holds one batch at a
 * time, and the same rows give the same bytes.
 * @param marks facts for the file's metadata
 * @throws RowError, and any error of the rows; the file then stays unchanged
 */
export async function writeArrow<Row extends object>(
  file: string,
  columns: Columns<Row>,
  rows: Rows<Row>,
  marks: Marks = {},
): Promise<WrittenFile> {
  const schema = new Schema(columns.fields, buildMetadata(marks));
  return writeBatches(file, columns, rows, (batches) => encodeArrow(batches, schema));
}

async function* encodeArrow(batches: AsyncIterable<RecordBatch>, schema: Schema): AsyncGenerator<Uint8Array> {
  const sink = new Sink();
  const writer = new RecordBatchFileWriter({ autoDestroy: false });
  writer.reset(sink, schema);
  for await (const batch of batches) {
    writer.write(batch);
    yield* sink.take();
  }
  writer.finish();
  yield* sink.take();
}

/** Passes on the output so far; the library's own queue would collect the whole file while the disk is slow. */
class Sink extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  take(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}
