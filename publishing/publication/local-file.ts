import { createHash } from 'node:crypto';
import { type BigIntStats, openAsBlob } from 'node:fs';
import { access, constants, lstat } from 'node:fs/promises';
import { createReadError } from '../../data/store/data-error';
import { PublishError } from './error';

/** A file that is published, as it was when it was read through. */
export interface LocalFile extends Digests, FileState {
  /** In the repository. */
  readonly path: string;
  /** On the disk; reading fails once the file has changed. */
  readonly contents: Blob;
  /** Text published instead of the file's contents, from which it was made. The digests are those of the text. */
  readonly text?: string;
}

interface FileState {
  /** On this machine. */
  readonly file: string;
  /** Differs once the file has changed. */
  readonly stamp: string;
}

/** Size and digests by which the Hub names contents. Digests are hexadecimal. */
export interface Digests {
  readonly bytes: number;
  readonly sha256: string;
  /** Git's blob id of the contents. */
  readonly gitSha1: string;
}

/**
 * Reads a file through.
 * @throws DataError when it cannot be read; PublishError when it changes meanwhile
 */
export async function readLocalFile(path: string, file: string): Promise<LocalFile> {
  const stats = await readStat(file);
  const state = { file, stamp: formatStamp(stats) };
  const contents = await access(file, constants.R_OK)
    .then(async () => await openAsBlob(file))
    .catch((error: unknown) => {
      throw createReadError(file, error);
    });
  const digests = createDigester(Number(stats.size));
  for await (const part of new FileContents(contents, state, () => undefined).stream()) digests.add(part);
  // A file that has since become a link, or another file, is not published.
  await requireUnchanged(state);
  return { path, ...state, contents, ...digests.end() };
}

/** Computes the size and digests by which the Hub would name this text. */
export function computeDigests(text: string): Digests {
  const bytes = Buffer.from(text);
  const digests = createDigester(bytes.length);
  digests.add(bytes);
  return digests.end();
}

/**
 * Opens the contents for the Hub's client, read from the disk as they are sent.
 * @param failed called when the file cannot be read any more, or is not the one that was read through
 */
export function openContents(local: LocalFile, failed: (error: unknown) => void): Blob {
  if (local.text !== undefined) return new Blob([local.text]);
  return new FileContents(local.contents, local, failed);
}

/** @throws PublishError when the file has changed since it was read through */
export async function requireUnchanged({ file, stamp }: FileState): Promise<void> {
  if (formatStamp(await readStat(file)) !== stamp) throw createChangedError(file);
}

export function createChangedError(file: string): PublishError {
  return new PublishError(
    `${file} changed while it was being published. Nothing was committed. Wait until no program writes to it, then run the same command again.`,
  );
}

async function readStat(file: string): Promise<BigIntStats> {
  return await lstat(file, { bigint: true }).catch((error: unknown) => {
    throw createReadError(file, error);
  });
}

function formatStamp({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function createDigester(bytes: number): { add(part: Uint8Array): void; end(): Digests } {
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

/** A file, or a part of it; the client takes parts of a part, and reads some more than once. */
class FileContents extends Blob {
  override readonly size: number;

  constructor(
    private readonly blob: Blob,
    private readonly local: FileState,
    private readonly failed: (error: unknown) => void,
  ) {
    super([]);
    this.size = blob.size;
  }

  override slice(start?: number, end?: number): Blob {
    return new FileContents(this.blob.slice(start, end), this.local, this.failed);
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return await this.blob.arrayBuffer().catch(() => this.#fail());
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer());
  }

  override stream(): ReturnType<Blob['stream']> {
    return ReadableStream.from(this.#parts());
  }

  async *#parts(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.blob.stream();
    } catch {
      await this.#fail();
    }
  }

  /** Finds the reason of a failed read, which Node.js does not give. */
  async #fail(): Promise<never> {
    const error = await requireUnchanged(this.local).then(
      () => createChangedError(this.local.file),
      (reason: unknown) => reason,
    );
    this.failed(error);
    throw error;
  }
}
