import { createHash, type Hash } from 'node:crypto';
import { readBlocks } from './own-file';
import { replaceAtomically, writeSynced } from './store';

export interface WrittenFile {
  readonly rows: number;
  readonly bytes: number;
  /** Hash of the whole file, hexadecimal. */
  readonly sha256: string;
  /** Memory that `datasets` uses for the rows: its `num_bytes`. */
  readonly memoryBytes: number;
}

/** Writes the chunks to a file as they come; a failure leaves the old file, or none. */
export async function writeChunks(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  within?: string,
): Promise<Pick<WrittenFile, 'bytes' | 'sha256'>> {
  return replaceAtomically(
    file,
    async (temporary) => {
      const { bytes, digest } = await writeHashed(temporary, chunks, createHash('sha256'));
      return { bytes, sha256: digest };
    },
    within,
  );
}

/** Computes the SHA-256 of a text, hexadecimal. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Hashes a regular file. The digest is hexadecimal SHA-256.
 * @param within the folder above it that the user named; absent for a file that the user named, and for one of this program
 */
export async function hashFile(
  file: string,
  within?: string,
): Promise<Pick<WrittenFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readBlocks(file, within)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Writes the chunks to a new file and syncs it to disk. The digest is hexadecimal. */
export async function writeHashed(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  hash: Hash,
): Promise<{ bytes: number; digest: string }> {
  let bytes = 0;
  await writeSynced(file, hashChunks(), 'wx');
  return { bytes, digest: hash.digest('hex') };

  async function* hashChunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
}
