import { parseDocument } from 'yaml';
import { answerBytes, answerJson, answerRefusal, type Answer, type Call } from './hub-http';
import { computeSha1, type HubCommit, type HubRepository } from './hub-repository';

/** A place in a repository, as the end of an address names it. */
export interface Place {
  readonly commit: HubCommit;
  readonly revision: string;
  readonly path: string;
}

/** Finds the place that the end of an address names, and answers with it. */
export function answerAt(repository: HubRepository, rest: string, answer: (place: Place) => Answer): Answer {
  const { revision, path } = repository.revisionIn(rest === '' ? 'main' : rest);
  const commit = repository.at(revision);
  return commit === undefined ? answerNoRevision(revision) : answer({ commit, revision, path });
}

/** Handles `/api/datasets/NAME` and `…/revision/REV`. */
export function answerInfo(call: Call, repository: HubRepository, { commit }: Place): Answer {
  const sizes = call.url.searchParams.has('blobs');
  return answerJson(200, {
    _id: computeSha1(repository.name).slice(0, 24),
    id: repository.name,
    author: repository.namespace,
    sha: commit.id,
    private: repository.private,
    gated: repository.gatedFor === undefined ? false : 'manual',
    disabled: false,
    downloads: 0,
    likes: 0,
    tags: [],
    lastModified: commit.date,
    createdAt: '2026-01-01T00:00:00.000Z',
    siblings: [...commit.files].map(([rfilename, { oid, bytes, lfs }]) => ({
      rfilename,
      ...(sizes && {
        size: bytes.length,
        blobId: oid,
        ...(lfs && { lfs: { sha256: lfs.oid, size: lfs.size, pointerSize: lfs.pointerSize } }),
      }),
    })),
  });
}

/** Handles `/api/datasets/NAME/tree/REV/PATH` with two entries a page, so that clients must turn pages. */
export function answerTree(call: Call, _: HubRepository, { commit, revision, path }: Place): Answer {
  const { searchParams } = call.url;
  const asked = (name: string): boolean => ['true', '1', 'True'].includes(searchParams.get(name) ?? '');
  const folder = path.replace(/\/$/, '');
  const entries = entriesBelow(commit, folder).filter(
    (entry) => asked('recursive') || parentOf(entry.path) === folder,
  );
  if (folder !== '' && entries.length === 0) {
    return answerRefusal(404, `${folder} does not exist on "${revision}"`, 'EntryNotFound');
  }
  const from = Number(searchParams.get('cursor') ?? 0);
  const next = new URL(call.url);
  next.searchParams.set('cursor', String(from + PAGE));
  const headers: Record<string, string> =
    from + PAGE < entries.length ? { link: `<${next.href}>; rel="next"` } : {};
  return answerJson(200, entries.slice(from, from + PAGE), headers);
}

const PAGE = 2;

/** Handles `/api/datasets/NAME/paths-info/REV` of the Python client, for the existing paths. */
export function answerPathsInfo(call: Call, _: HubRepository, { commit }: Place): Answer {
  const paths = new URLSearchParams(call.body.toString('utf8')).getAll('paths');
  const wanted = paths.map((path) => path.replace(/\/$/, ''));
  return answerJson(
    200,
    entriesBelow(commit, '').filter(({ path }) => wanted.includes(path)),
  );
}

interface Entry {
  readonly type: 'file' | 'directory';
  readonly path: string;
}

/** Lists everything below a folder, including folders, sorted by path. */
function entriesBelow(commit: HubCommit, folder: string): Entry[] {
  const below = [...commit.files].filter(([path]) => folder === '' || path.startsWith(`${folder}/`));
  const files = below.map(([path, { oid, bytes, lfs }]) => ({
    type: 'file' as const,
    oid,
    size: bytes.length,
    path,
    ...(lfs && { lfs }),
  }));
  const folders = new Set(
    below.flatMap(([path]) => foldersOf(path)).filter((path) => path.length > folder.length),
  );
  const directories = [...folders].map((path) => ({
    type: 'directory' as const,
    oid: computeSha1(
      below
        .filter(([file]) => file.startsWith(`${path}/`))
        .map(([file, { oid }]) => file + oid)
        .join(),
    ),
    size: 0,
    path,
  }));
  return [...files, ...directories].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function foldersOf(path: string): string[] {
  const parent = parentOf(path);
  return parent === '' ? [] : [parent, ...foldersOf(parent)];
}

function parentOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

/** Handles `/api/datasets/NAME/discussions` with its pull requests, newest first, all of them open. */
export function answerDiscussions(call: Call, repository: HubRepository): Answer {
  const wanted = call.url.searchParams.get('author');
  const pullRequests = [...repository.refs]
    .flatMap(([ref, commit]) => {
      const [, number] = /^refs\/pr\/(\d+)$/.exec(ref) ?? [];
      const { author, title } = repository.at(commit) ?? {};
      return number === undefined || (wanted !== null && author !== wanted)
        ? []
        : [{ num: Number(number), title, author: { name: author }, status: 'open', isPullRequest: true }];
    })
    .toReversed();
  return answerJson(200, { discussions: pullRequests, count: pullRequests.length, start: 0 });
}

/** Handles `/datasets/NAME/resolve/REV/PATH`: small files directly, large ones by the store. */
export function resolve(call: Call, repository: HubRepository, { commit, path }: Place): Answer {
  const file = commit.files.get(path);
  if (file === undefined)
    return answerRefusal(404, 'Entry not found', 'EntryNotFound', { 'x-repo-commit': commit.id });
  const headers = { 'x-repo-commit': commit.id, 'accept-ranges': 'bytes' };
  const { lfs } = file;
  if (lfs === undefined) return answerBytes(call, file.bytes, { ...headers, etag: `"${file.oid}"` });
  const linked = {
    ...headers,
    'x-linked-etag': `"${lfs.oid}"`,
    'x-linked-size': String(lfs.size),
    etag: `"${file.oid}"`,
  };
  return {
    status: 302,
    headers: { ...linked, location: `${call.store}/store/${repository.name}/${commit.id}/${path}` },
    body: Buffer.alloc(0),
  };
}

/** Lists the errors in the YAML at the head of a card. */
export function listMetadataErrors(card: string): string[] {
  const [, head] = /^---\r?\n([\s\S]*?)\r?\n---\s*(?:\n|$)/.exec(card) ?? [];
  if (head === undefined) return [];
  const document = parseDocument(head);
  const errors = document.errors.map(({ message }) => message);
  if (errors.length > 0) return errors;
  const metadata: unknown = document.toJS();
  return typeof metadata === 'object' ? [] : ['the metadata are no map'];
}

export function answerNoRevision(revision: string): Answer {
  return answerRefusal(404, `Invalid rev id: ${revision}`, 'RevisionNotFound');
}
