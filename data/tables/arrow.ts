import { AsyncByteQueue, type RecordBatch, RecordBatchFileWriter } from 'apache-arrow';
import type { WrittenFile } from '../store/files';
import { writeBatches, type Rows } from './batches';
import type { Columns } from './columns';

/**
 * Writes a data set as an Arrow IPC file (not compressed, so that it can be mapped into memory), atomically; memory
 * holds one batch at a time. The same rows give the same bytes.
 * @throws RowError, and whatever the rows throw; the file is then as it was before.
 */
export async function writeArrow<Row extends object>(
  file: string,
  columns: Columns<Row>,
  rows: Rows<Row>,
): Promise<WrittenFile> {
  return writeBatches(file, columns, rows, encodeArrow);
}

async function* encodeArrow(batches: AsyncIterable<RecordBatch>): AsyncGenerator<Uint8Array> {
  const sink = new Sink();
  const writer = new RecordBatchFileWriter({ autoDestroy: false });
  writer.reset(sink);
  for await (const batch of batches) {
    writer.write(batch);
    yield* sink.take();
  }
  writer.finish();
  yield* sink.take();
}

/** Hands over what was written so far; the library's own queue would collect the whole file when the disk is slow. */
class Sink extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  take(): Uint8Array[] {
    const taken = this.#chunks;
    this.#chunks = [];
    return taken;
  }
}
