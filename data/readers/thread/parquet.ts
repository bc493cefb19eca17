import type { FileHandle } from 'node:fs/promises';
import { RecordBatchReader } from 'apache-arrow';
import { ParquetFile, type RecordBatch as ParquetBatch } from 'parquet-wasm/node';
import { BadContent, ROWS_AT_ONCE } from '../bounds';
import { parseMetadata } from '../../marks/marks';
import type { OpenTable } from './open-table';

/**
 * Opens a Parquet file. Its library has the column chunks of one row group in memory, as they are in the file.
 * @throws whatever the library does when the end of the file is not whole
 */
export async function openParquet(handle: FileHandle, sizeBytes: number): Promise<OpenTable> {
  const file = await ParquetFile.fromFile(new FilePart(handle, 0, sizeBytes));
  return {
    schema: RecordBatchReader.from(file.schema().intoIPCStream()).open().schema,
    facts: readFacts(file),
    async *readBatches(columns, group) {
      const groups = group === undefined ? {} : { rowGroups: [group] };
      const batches: ReadableStream<ParquetBatch> = await file.stream({
        columns: [...columns],
        batchSize: ROWS_AT_ONCE,
        ...groups,
      });
      for await (const batch of batches) yield* RecordBatchReader.from(batch.intoIPCStream());
    },
  };
}

/** Reads the facts of a file, and frees what the library made for them: each row group has a copy of the metadata of all its columns. */
function readFacts(file: ParquetFile): OpenTable['facts'] {
  using metadata = file.metadata();
  using fileMetadata = metadata.fileMetadata();
  const groupRows = metadata.rowGroups().map((group) => {
    using rowGroup = group;
    return rowGroup.numRows();
  });
  return { groupRows, marks: parseMetadata(fileMetadata.keyValueMetadata()) };
}

/** A part of an open file, read only when its content is asked for. */
class FilePart extends Blob {
  override readonly size: number;

  constructor(
    private readonly handle: FileHandle,
    private readonly from: number,
    to: number,
  ) {
    super([]);
    this.size = to - from;
  }

  override slice(from = 0, to = this.size): Blob {
    return new FilePart(this.handle, this.from + from, this.from + to);
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    if (!(this.from >= 0 && this.size >= 0)) throw new BadContent('an offset is outside the file');
    const bytes = new Uint8Array(this.size);
    for (let at = 0; at < bytes.length;) {
      const { bytesRead } = await this.handle.read(bytes, at, bytes.length - at, this.from + at);
      if (bytesRead === 0) throw new BadContent('an offset is outside the file');
      at += bytesRead;
    }
    return bytes.buffer;
  }
}
