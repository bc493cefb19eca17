import { basename, dirname } from 'node:path';
import type { FileState, PublishedFile } from '../../schemas/dataset/publication';
import { PROVENANCE } from '../../data/folders/choose';
import { CARD } from '../../data/folders/folder';
import { matchPatterns } from '../../data/folders/glob';
import type { ListedFile } from '../../data/hub/answers';
import { findFormat } from '../../data/readers/formats';
import type { Digests } from './local-file';

/**
 * Compares files by content. Returns the effect of publishing on each, sorted by path.
 * @param remote undefined when the Hub was not reached
 * @param patterns those of the card's data files: what only the Hub has of these, such as an earlier version's shards, is removed
 * @param prune whether all files that only the Hub has are removed; `.gitattributes`, which lists the large files, stays
 */
export function compareFiles(
  local: readonly (Digests & { readonly path: string })[],
  remote: readonly ListedFile[] | undefined,
  { patterns, prune }: { readonly patterns: readonly string[]; readonly prune: boolean },
): PublishedFile[] {
  const remoteFiles = new Map(remote?.map((file) => [file.path, file]));
  const localPaths = new Set(local.map(({ path }) => path));
  // Only beside published data, because deeper folders are not listed here, and no file that is not of the data set.
  const dataFolders = new Set(
    local.flatMap(({ path }) => (findFormat(path) === undefined ? [] : dirname(path))),
  );
  const remoteData = [...remoteFiles.keys()].filter(
    (path) =>
      findFormat(path) !== undefined && dataFolders.has(dirname(path)) && basename(path) !== PROVENANCE,
  );
  const namedPaths = new Set(matchPatterns(CARD, patterns, remoteData).flat());
  return [
    ...local.map((file) => ({
      path: file.path,
      bytes: file.bytes,
      state: remote === undefined ? ('unknown' as const) : deriveFileState(file, remoteFiles.get(file.path)),
    })),
    ...(remote ?? [])
      .filter(({ path }) => !localPaths.has(path))
      .map(({ path, bytes }) => ({
        path,
        bytes,
        state:
          namedPaths.has(path) || (prune && !GIT_ATTRIBUTES.test(path))
            ? ('removed' as const)
            : ('kept' as const),
      })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns true when the Hub has all files in this state already. */
export function isUpToDate(files: readonly PublishedFile[]): boolean {
  return files.every(({ state }) => state === 'same' || state === 'kept');
}

function deriveFileState(local: Digests, remote: ListedFile | undefined): FileState {
  if (remote === undefined) return 'new';
  return remote.hash === (remote.kind === 'git' ? local.gitSha1 : local.sha256) ? 'same' : 'changed';
}

const GIT_ATTRIBUTES = /(^|\/)\.gitattributes$/;
