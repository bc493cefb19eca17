import { type BrotliOptions, brotliDecompressSync, gunzipSync, type ZlibOptions } from 'node:zlib';
import type { AsyncBuffer, Compressors, FileMetaData, SchemaTree } from 'hyparquet';
import type { NamedFile } from '../../sets/data-set';
import { BadContent } from '../bounds';
import { createDamageError } from '../damage';
import { openFile } from '../../store/own-file';
import { loadZstdUnpacker } from '../zstd';
import { readThrift } from './thrift';

/** A Parquet file whose metadata have been read. */
export interface OpenParquet extends NamedFile {
  readonly library: Awaited<ReturnType<typeof loadLibraries>>;
  readonly buffer: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly schema: SchemaTree;
}

/** @throws DataError when its end is not whole */
export async function openParquet({ path, name, within }: NamedFile): Promise<OpenParquet> {
  const library = await loadLibraries();
  try {
    const buffer = await openBuffer(path, within);
    await checkFooter(buffer);
    const metadata = await library.parquetMetadataAsync(buffer, { geoparquet: false });
    return { path, name, within, library, buffer, metadata, schema: library.parquetSchema(metadata) };
  } catch (error) {
    throw await createDamageError({ path, name, within }, 'Parquet', error);
  }
}

/** The file's bytes. It is opened for each part: tables stay in use for as long as a page is shown. */
async function openBuffer(path: string, within: string | undefined): Promise<AsyncBuffer> {
  const read = async (from: number, upTo?: number) => {
    if (from < 0) throw new BadContent('an offset is below zero');
    const handle = await openFile(path, within);
    try {
      const { size } = await handle.stat();
      const bytes = new Uint8Array(Math.max(0, Math.min(upTo ?? size, size) - from));
      for (let at = 0; at < bytes.length;) {
        const { bytesRead } = await handle.read(bytes, at, bytes.length - at, from + at);
        if (bytesRead === 0) throw new BadContent('it became shorter while it was read');
        at += bytesRead;
      }
      return { size, bytes };
    } finally {
      await handle.close();
    }
  };
  const { size } = await read(0, 0);
  return { byteLength: size, slice: async (from, upTo) => (await read(from, upTo)).bytes.buffer };
}

/** What stands at the end of a file: the metadata, their length in four bytes, and the format's mark. */
async function checkFooter(buffer: AsyncBuffer): Promise<void> {
  const size = buffer.byteLength;
  const ending = new DataView(await buffer.slice(Math.max(0, size - 8), size));
  if (ending.byteLength < 8 || ending.getUint32(4, true) !== MAGIC)
    throw new BadContent('its end is missing');
  const length = ending.getUint32(0, true);
  if (length > size - 8) throw new BadContent('its metadata is cut off');
  if (length > MAX_METADATA_BYTES) throw new BadContent('its metadata is longer than 16 MB');
  readThrift(new Uint8Array(await buffer.slice(size - 8 - length, size - 8)), 0);
}

/** "PAR1" */
const MAGIC = 0x3152_4150;
const MAX_METADATA_BYTES = 16_000_000;

// Both are ES modules only.
async function loadLibraries(): Promise<typeof import('hyparquet') & { readonly compressors: Compressors }> {
  const [hyparquet, { compressors }, unpackZstd] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
    loadZstdUnpacker(),
  ]);
  return {
    ...hyparquet,
    compressors: {
      ...compressors,
      // Node's own are several times as fast.
      GZIP: (packed, size) => unpackWith(gunzipSync, packed, size),
      BROTLI: (packed, size) => unpackWith(brotliDecompressSync, packed, size),
      ZSTD: unpackZstd,
    },
  };
}

function unpackWith(
  unpack: (packed: Uint8Array, options: ZlibOptions & BrotliOptions) => Buffer,
  packed: Uint8Array,
  size: number,
): Uint8Array {
  return size === 0 ? new Uint8Array() : unpack(packed, { maxOutputLength: size });
}
