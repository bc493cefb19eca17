import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { getErrorCode } from '../store/system-error';
import { hashFile, writeHashed } from '../store/files';
import { readBlocks } from '../store/own-file';
import { makeDurableFolder, replaceAtomically, writeAtomically } from '../store/store';
import { HubError } from './hub-error';
import { isCommit, type ListedFile } from './answers';

/** A data set's part of the Hub's cache, in the layout that all tools of the Hub share. */
export class HubCache {
  readonly #folder: string;

  constructor(cache: string, dataSet: string) {
    this.#folder = join(cache, `datasets--${dataSet.replaceAll('/', '--')}`);
  }

  snapshot(commit: string): string {
    return join(this.#folder, 'snapshots', commit);
  }

  /** Returns the last known commit of a branch or tag. */
  async commitOf(revision: string): Promise<string | undefined> {
    const text = await readFile(join(this.#folder, 'refs', revision), 'utf8').catch(() => '');
    return isCommit(text.trim()) ? text.trim() : undefined;
  }

  /** Returns the commits that have files here. */
  async commits(): Promise<string[]> {
    const names = await readdir(join(this.#folder, 'snapshots')).catch(() => []);
    return names.filter(isCommit).toSorted();
  }

  async keepCommitOf(revision: string, commit: string): Promise<void> {
    await writeAtomically(join(this.#folder, 'refs', revision), commit);
  }

  /** Returns whether a commit has this file: `present` when it is in the cache, `absent` when it is known to have none. */
  async knows(commit: string, path: string): Promise<'present' | 'absent' | undefined> {
    if (existsSync(join(this.snapshot(commit), path))) return 'present';
    return existsSync(this.#absence(commit, path)) ? 'absent' : undefined;
  }

  async keepAbsence(commit: string, path: string): Promise<void> {
    const marker = this.#absence(commit, path);
    await makeDurableFolder(dirname(marker));
    await writeFile(marker, '');
  }

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
   * Stores a file of a commit in the cache atomically, unless its content is there.
   * @throws HubError when the downloaded content differs from the announced one
   */
  async keep(
    commit: string,
    file: ListedFile,
    download: () => Promise<AsyncIterable<Uint8Array>>,
  ): Promise<void> {
    const blob = join(this.#folder, 'blobs', file.hash);
    if (!existsSync(blob)) {
      await replaceAtomically(blob, async (temporary) => downloadFile(temporary, file, await download()));
    }
    await link(blob, join(this.snapshot(commit), file.path));
  }

  #absence(commit: string, path: string): string {
    return join(this.#folder, '.no_exist', commit, path);
  }
}

/**
 * Checks a file against the hash that is its name in the cache: the SHA-256 of a large file, or the git hash of a small one. A cache without
 * links has no hashes.
 * @param file.sha256 its SHA-256, if it was computed
 * @throws HubError when they differ
 */
export async function requireUndamaged(file: {
  readonly path: string;
  readonly name: string;
  readonly sha256?: string;
}): Promise<void> {
  const blob = await realpath(file.path);
  const hash = basename(blob);
  const isLarge = /^[0-9a-f]{64}$/.test(hash);
  if (!isLarge && !/^[0-9a-f]{40}$/.test(hash)) return;
  if (hash === (isLarge ? (file.sha256 ?? (await hashFile(blob)).sha256) : await hashAsGit(blob))) return;
  throw new HubError(
    `${file.name} is damaged in the cache of the Hub's tools. Delete ${blob}; it is then downloaded again.`,
  );
}

/** Hashes a file as git does. */
async function hashAsGit(path: string): Promise<string> {
  const hash = createContentHash({ kind: 'git', bytes: (await stat(path)).size });
  for await (const chunk of readBlocks(path, undefined)) hash.update(chunk);
  return hash.digest('hex');
}

async function downloadFile(
  temporary: string,
  file: ListedFile,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { bytes, digest } = await writeHashed(temporary, limitChunks(file, chunks), createContentHash(file));
  if (bytes !== file.bytes || digest !== file.hash) throw createAlteredError(file, bytes);
}

/** Passes on the chunks, up to the announced size. */
async function* limitChunks(file: ListedFile, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > file.bytes) throw createAlteredError(file, bytes);
    yield chunk;
  }
}

function createAlteredError(file: ListedFile, bytes: number): HubError {
  return new HubError(
    `${file.path} was not downloaded as the Hub lists it (${bytes} of ${file.bytes} bytes, or other content). Run the command again. If ` +
      'the error persists, something between here and the Hub (a proxy, HF_ENDPOINT) changes the file.',
  );
}

function createContentHash(file: Pick<ListedFile, 'kind' | 'bytes'>): Hash {
  return file.kind === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${file.bytes}\0`);
}

/** Links as the Hub's tools do, so that the cache may be moved; copies where links are not allowed. */
async function link(blob: string, pointer: string): Promise<void> {
  if (existsSync(pointer)) return;
  await mkdir(dirname(pointer), { recursive: true });
  // A broken link.
  await rm(pointer, { force: true });
  try {
    await symlink(relative(dirname(pointer), blob), pointer);
  } catch (error) {
    // Another process created it first.
    if (getErrorCode(error) === 'EEXIST') return;
    await copyFile(blob, pointer);
  }
}
