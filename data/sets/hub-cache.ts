import { createHash, type Hash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { ListFileEntry } from '@huggingface/hub';
import { errorCode } from '../error-code';
import { writeHashed } from '../files';
import { replaceAtomically, writeAtomically } from '../store';
import { HubError } from './error';

/** A file of a repository as the Hub lists it. */
export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  /** Names the content: SHA-256 of a large file (`sha256`), else Git's hash of a small one. Hexadecimal. */
  readonly hash: string;
  readonly kind: 'sha256' | 'git';
}

/** A file as the Hub's client gives it. */
export function listedFile({ path, size, oid, lfs }: ListFileEntry): ListedFile {
  return lfs === undefined
    ? { path, bytes: size, hash: oid ?? '', kind: 'git' }
    : { path, bytes: lfs.size, hash: lfs.oid, kind: 'sha256' };
}

/** A data set's part of the Hub's cache, in the layout that all of the Hub's tools share. */
export class HubCache {
  readonly #folder: string;

  constructor(cache: string, dataSet: string) {
    this.#folder = join(cache, `datasets--${dataSet.replaceAll('/', '--')}`);
  }

  /** The folder of a commit's files. */
  snapshot(commit: string): string {
    return join(this.#folder, 'snapshots', commit);
  }

  /** The commit that a branch or tag was when it was last asked for. */
  async commitOf(revision: string): Promise<string | undefined> {
    return readFile(join(this.#folder, 'refs', revision), 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    );
  }

  async keepCommitOf(revision: string, commit: string): Promise<void> {
    await writeAtomically(join(this.#folder, 'refs', revision), commit);
  }

  /** Whether a commit has this file: `present` when it is in the cache, `absent` when it is known to have none. */
  async knows(commit: string, path: string): Promise<'present' | 'absent' | undefined> {
    if (await exists(join(this.snapshot(commit), path))) return 'present';
    return (await exists(this.#absence(commit, path))) ? 'absent' : undefined;
  }

  async keepAbsence(commit: string, path: string): Promise<void> {
    const marker = this.#absence(commit, path);
    await mkdir(dirname(marker), { recursive: true });
    await writeFile(marker, '');
  }

  /** The paths of the commit's files that are in the cache. */
  async listed(commit: string): Promise<string[]> {
    const folder = this.snapshot(commit);
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const paths = names.map((name) => name.replaceAll('\\', '/')).toSorted();
    const files = await Promise.all(
      paths.map(async (path) =>
        (await stat(join(folder, path)).catch(() => undefined))?.isFile() === true ? [path] : [],
      ),
    );
    return files.flat();
  }

  /**
   * Brings a file of a commit into the cache, unless its content is there, atomically and whole.
   * @throws HubError when what came is not what the Hub had announced
   */
  async keep(
    commit: string,
    file: ListedFile,
    download: () => Promise<AsyncIterable<Uint8Array>>,
  ): Promise<void> {
    const blob = join(this.#folder, 'blobs', file.hash);
    if (!(await exists(blob))) {
      await replaceAtomically(blob, async (temporary) => fill(temporary, file, await download()));
    }
    await link(blob, join(this.snapshot(commit), file.path));
  }

  #absence(commit: string, path: string): string {
    return join(this.#folder, '.no_exist', commit, path);
  }
}

/**
 * The cache names large files by their SHA-256.
 * @throws HubError when this one has come to hold something else
 */
export async function requireUndamaged(file: {
  readonly path: string;
  readonly name: string;
  readonly sha256: string;
}): Promise<void> {
  const blob = await realpath(file.path);
  if (!/^[0-9a-f]{64}$/.test(basename(blob)) || basename(blob) === file.sha256) return;
  throw new HubError(
    `${file.name} is damaged in the cache of the Hub's tools. Delete ${blob}; it is then downloaded again.`,
  );
}

async function fill(temporary: string, file: ListedFile, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const { bytes, digest } = await writeHashed(temporary, chunks, contentHash(file));
  if (bytes !== file.bytes || digest !== file.hash) {
    throw new HubError(
      `${file.path} did not arrive as the Hub has it (${bytes} of ${file.bytes} bytes, or other ones). Try again; if it stays so, ` +
        'something between here and the Hub (a proxy, HF_ENDPOINT) alters it.',
    );
  }
}

function contentHash(file: ListedFile): Hash {
  return file.kind === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${file.bytes}\0`);
}

/** Links as the Hub's tools do, so that the cache may be moved; copies where links are not allowed. */
async function link(blob: string, pointer: string): Promise<void> {
  if (await exists(pointer)) return;
  await mkdir(dirname(pointer), { recursive: true });
  // A link whose content is gone.
  await rm(pointer, { force: true });
  try {
    await symlink(relative(dirname(pointer), blob), pointer);
  } catch (error) {
    // Somebody else was faster.
    if (errorCode(error) === 'EEXIST') return;
    await copyFile(blob, pointer);
  }
}

/** True when it is there and, if it is a link, what it points to. */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
