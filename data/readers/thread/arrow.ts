import type { FileHandle } from 'node:fs/promises';
import { compressionRegistry, CompressionType, RecordBatchReader } from 'apache-arrow';
import { decompress as decompressZstd } from 'fzstd';
import { decompressLz4Frame } from '../arrow/lz4-frame';
import { BadContent, createMemoryError, MAX_MEMORY_MB } from '../bounds';
import { parseMetadata } from '../../marks/marks';
import type { OpenTable } from './open-table';

/**
 * Opens an Arrow IPC file or stream (Feather is the former), compressed or not. Its library has one record batch in memory.
 * @throws whatever the library does when the file is not whole
 */
export async function openArrow(handle: FileHandle): Promise<OpenTable> {
  await requireEnd(handle);
  claimedBytes = 0;
  const opened = await RecordBatchReader.from(handle);
  const reader = await opened.open();
  return {
    schema: reader.schema,
    facts: { groupRows: [], marks: parseMetadata(reader.schema.metadata) },
    async *readBatches() {
      if (!reader.isFile() || !reader.isAsync()) {
        for await (const batch of reader) {
          claimedBytes = 0;
          yield batch;
        }
        return;
      }
      // The library's own loop never ends when the index points at something other than a batch.
      for (let index = 0; index < reader.numRecordBatches; index += 1) {
        const batch = await reader.readRecordBatch(index);
        if (batch === null) throw new BadContent(`record batch ${index + 1} is not where the index says`);
        claimedBytes = 0;
        yield batch;
      }
    },
  };
}

compressionRegistry.set(CompressionType.ZSTD, {
  // The library compares the buffer with a number, for which JavaScript would make a text of all its bytes.
  decode: (bytes) =>
    decompressZstd(bytes, Object.assign(new Uint8Array(claimSize(bytes)), { valueOf: () => 0 })),
});
compressionRegistry.set(CompressionType.LZ4_FRAME, {
  decode: (bytes) => decompressLz4Frame(bytes, claimSize(bytes)),
});

/** Bytes that the compressed buffers of the current record batch claim. */
let claimedBytes = 0;

/**
 * Reads the size that Arrow puts before the bytes; the library does not pass it on.
 * @throws TooMuchAtOnce when the batch claims more than fits into memory, before it is unpacked
 */
function claimSize(packed: Uint8Array): number {
  const size = Number(new DataView(packed.buffer, packed.byteOffset - 8).getBigInt64(0, true));
  claimedBytes += size;
  if (claimedBytes > MAX_MEMORY_MB * 1e6) throw createMemoryError();
  return size;
}

/** Rejects content that was cut off: a file ends as it begins, and a stream with its end mark. The library accepts a shortened stream. */
async function requireEnd(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const first = await handle.read(Buffer.alloc(8), 0, 8, 0);
  const last = await handle.read(Buffer.alloc(8), 0, 8, Math.max(0, size - 8));
  const start = first.buffer.toString('latin1');
  const end = last.buffer.toString('latin1');
  if (size >= 8 && start.startsWith('ARROW1') && end.endsWith('ARROW1')) return;
  if (size >= 8 && start.startsWith(CONTINUED) && end === `${CONTINUED}\0\0\0\0`) return;
  throw new BadContent('it does not end as Arrow does');
}

/** Stands before each message of a stream. */
const CONTINUED = '\xff\xff\xff\xff';
