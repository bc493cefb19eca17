import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants, lstat, open, type FileHandle } from 'node:fs/promises';
import { DataError, reasonOf } from '../../data/sets/error';
import { PublishError } from './error';

/** A file that is published, as it was when it was read through. */
export interface LocalFile extends Digests {
  /** In the repository. */
  readonly path: string;
  /** On this machine. */
  readonly file: string;
  /** Tells whether the file is still the same. */
  readonly stamp: string;
  /** What is published in the place of what the file has, and was made of that; the digests are of it. */
  readonly text?: string;
}

/** What the Hub names contents by, all hexadecimal. */
export interface Digests {
  readonly bytes: number;
  readonly sha256: string;
  /** What Git calls the contents, as a file of its own. */
  readonly gitSha1: string;
}

/**
 * Reads a file through.
 * @throws DataError when it cannot be read, or changes meanwhile
 */
export async function localFile(path: string, file: string): Promise<LocalFile> {
  const stats = await statOf(file);
  const bytes = Number(stats.size);
  const digests = digester(bytes);
  for await (const part of readParts(file, stampOf(stats), 0, bytes)) digests.add(part);
  return { path, file, stamp: stampOf(stats), ...digests.end() };
}

/** What the Hub would name this text by. */
export function digestsOf(text: string): Digests {
  const bytes = Buffer.from(text);
  const digests = digester(bytes.length);
  digests.add(bytes);
  return digests.end();
}

/**
 * The contents for the Hub's client, read from the disk as they are sent.
 * @param failed called when the file cannot be read any more, or is not the one that was read through
 */
export function contentsOf(local: LocalFile, failed: (error: unknown) => void): Blob {
  if (local.text !== undefined) return new Blob([local.text]);
  return new FileContents(local, 0, local.bytes, failed);
}

/** @throws PublishError when the file has changed since it was read through */
export async function requireSame({ file, stamp }: LocalFile): Promise<void> {
  if (stampOf(await statOf(file)) !== stamp) throw changed(file);
}

export function changed(file: string): PublishError {
  return new PublishError(
    `${file} changed while it was being published. Nothing was committed. Wait until no program writes to it, then run the same command again.`,
  );
}

async function statOf(file: string): Promise<BigIntStats> {
  return await lstat(file, { bigint: true }).catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

function unreadable(file: string, error: unknown): DataError {
  return new DataError(
    `${file} cannot be read (${reasonOf(error)}). Check that it exists and the permission to read it.`,
    {
      cause: error,
    },
  );
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function digester(bytes: number): { add(part: Uint8Array): void; end(): Digests } {
  const sha256 = createHash('sha256');
  const git = createHash('sha1').update(`blob ${bytes}\0`);
  return {
    add(part) {
      sha256.update(part);
      git.update(part);
    },
    end: () => ({ bytes, sha256: sha256.digest('hex'), gitSha1: git.digest('hex') }),
  };
}

/** A part of a file; the client takes parts of a part, and reads some more than once. */
class FileContents extends Blob {
  override readonly size: number;
  readonly #local: Pick<LocalFile, 'file' | 'stamp'>;
  readonly #from: number;
  readonly #to: number;
  readonly #failed: (error: unknown) => void;

  constructor(
    local: Pick<LocalFile, 'file' | 'stamp'>,
    from: number,
    to: number,
    failed: (error: unknown) => void,
  ) {
    super([]);
    this.size = to - from;
    this.#local = local;
    this.#from = from;
    this.#to = to;
    this.#failed = failed;
  }

  override slice(start = 0, end = this.size): Blob {
    const to = Math.min(this.#from + end, this.#to);
    return new FileContents(this.#local, Math.min(this.#from + start, to), to, this.#failed);
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(this.size);
    let at = 0;
    for await (const part of this.#parts()) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes.buffer;
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer());
  }

  override stream(): ReturnType<Blob['stream']> {
    return ReadableStream.from(this.#parts());
  }

  async *#parts(): AsyncGenerator<Uint8Array> {
    const { file, stamp } = this.#local;
    try {
      yield* readParts(file, stamp, this.#from, this.#to);
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }
}

/**
 * The bytes from `from` to before `to`. The file is opened for each piece, since the Hub's client leaves contents in the middle
 * when another request of it fails.
 * @throws DataError when the file is not the one with this stamp
 */
async function* readParts(file: string, stamp: string, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += PIECE) {
    yield await readPiece(file, stamp, at, Math.min(PIECE, to - at));
  }
}

const PIECE = 4 * 1024 ** 2;

async function readPiece(file: string, stamp: string, at: number, length: number): Promise<Uint8Array> {
  const piece = new Uint8Array(length);
  let handle: FileHandle | undefined;
  try {
    // What has become a link since it was looked at is not followed.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    // Some file systems give less than was asked for at a time.
    let read = 0;
    for (let got = -1; read < length && got !== 0; read += got) {
      got = (await handle.read(piece, read, length - read, at + read)).bytesRead;
    }
    if (read < length || stampOf(await handle.stat({ bigint: true })) !== stamp) throw changed(file);
  } catch (error) {
    throw error instanceof DataError || error instanceof PublishError ? error : unreadable(file, error);
  } finally {
    await handle?.close();
  }
  return piece;
}
