import { createHash } from 'node:crypto';
import { type BigIntStats, openAsBlob } from 'node:fs';
import { access, constants, lstat } from 'node:fs/promises';
import { createReadError } from '../../data/store/data-error';
import { PublishError } from './error';

/** A file that is published, as it was when it was read through. */
export interface LocalFile extends Digests, FileStamp {
  /** In the repository. */
  readonly path: string;
  /** The file on the disk, whose reading fails once it has changed, or a text made from it. The digests are those of these contents. */
  readonly contents: Blob;
}

interface FileStamp {
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
    .then(async () => openAsBlob(file))
    .catch((error: unknown) => {
      throw createReadError(file, error);
    });
  const digests = createDigester(Number(stats.size));
  try {
    for await (const part of contents.stream()) digests.add(part);
  } catch (error) {
    await requireUnchanged(state);
    throw createReadError(file, error);
  }
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

/** Returns contents that call `failed` when reading all of them fails, because the Hub's client can lose this error and then wait for ever. */
export function watchReads(contents: Blob, failed: (error: unknown) => void): Blob {
  const fail = (error: unknown): never => {
    failed(error);
    throw error;
  };
  const blob = contents.slice();
  blob.arrayBuffer = async () => contents.arrayBuffer().catch(fail);
  blob.stream = () => {
    const reader = contents.stream().getReader();
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await reader.read().catch(fail);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
  };
  return blob;
}

/** @throws PublishError when the file has changed since it was read through */
export async function requireUnchanged({ file, stamp }: FileStamp): Promise<void> {
  if (formatStamp(await readStat(file)) !== stamp) throw createChangedError(file);
}

export function createChangedError(file: string): PublishError {
  return new PublishError(
    `${file} changed while it was being published. Nothing was committed. Wait until no program writes to it.`,
  );
}

async function readStat(file: string): Promise<BigIntStats> {
  return lstat(file, { bigint: true }).catch((error: unknown) => {
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
