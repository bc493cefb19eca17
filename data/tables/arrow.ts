import { AsyncByteQueue, type RecordBatch, RecordBatchFileWriter } from 'apache-arrow';
import { buildRecordBatches, type Rows } from './batches';
import type { Columns } from './columns';
import { writeChunks, type WrittenFile } from '../store/files';
import { computeMemoryBytes } from './memory-size';

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
  const count = { rows: 0, memoryBytes: 0 };
  const written = await writeChunks(file, encodeArrow(buildRecordBatches(columns, rows), count));
  return { ...count, ...written };
}

async function* encodeArrow(
  batches: AsyncIterable<RecordBatch>,
  count: { rows: number; memoryBytes: number },
): AsyncGenerator<Uint8Array> {
  const sink = new Sink();
  const writer = new RecordBatchFileWriter({ autoDestroy: false });
  writer.reset(sink);
  for await (const batch of batches) {
    count.rows += batch.numRows;
    count.memoryBytes += computeMemoryBytes(batch, 'arrow');
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
