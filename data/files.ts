import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { replaceAtomically } from './store';

/** A data set's file as it was written. */
export interface WrittenFile {
  readonly rows: number;
  readonly bytes: number;
  /** Of the whole file, hexadecimal. */
  readonly sha256: string;
}

/** Writes the chunks to a file, as they come; on failure the old file, or none, is there. */
export async function writeChunks(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Omit<WrittenFile, 'rows'>> {
  return replaceAtomically(file, async (temporary) => {
    const hash = createHash('sha256');
    let bytes = 0;
    const handle = await open(temporary, 'wx');
    try {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        await handle.writeFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { bytes, sha256: hash.digest('hex') };
  });
}
