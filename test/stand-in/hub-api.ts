import { parseDocument } from 'yaml';
import * as z from 'zod';
import { answerBytes, answerJson, answerRefusal, type Answer, type Call } from './hub-http';
import {
  buildPointer,
  computeSha1,
  type HubCommit,
  type HubFile,
  type HubRepository,
} from './hub-repository';

/** Handles `/api/datasets/NAME` and `…/revision/REV`. */
export function answerInfo(call: Call, repository: HubRepository, rest: string): Answer {
  const { revision } = repository.revisionIn(rest === '' ? 'main' : rest);
  const commit = repository.at(revision);
  if (commit === undefined) return answerNoRevision(revision);
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
    siblings: [...commit.files].map(
      ([
        rfilename,
        {
          oid,
          bytes: { length },
          lfs,
        },
      ]) => ({
        rfilename,
        ...(sizes && {
          size: length,
          blobId: oid,
          ...(lfs && { lfs: { sha256: lfs.oid, size: lfs.size, pointerSize: lfs.pointerSize } }),
        }),
      }),
    ),
  });
}

/** Handles `/api/datasets/NAME/tree/REV/PATH` with two entries a page, so that clients must turn pages. */
export function answerTree(call: Call, repository: HubRepository, rest: string): Answer {
  const { revision, path } = repository.revisionIn(rest);
  const commit = repository.at(revision);
  if (commit === undefined) return answerNoRevision(revision);
  const { searchParams } = call.url;
  const asked = (name: string): boolean => ['true', '1', 'True'].includes(searchParams.get(name) ?? '');
  const folder = path.replace(/\/$/, '');
  const entries = entriesBelow(repository, commit, folder, asked('expand')).filter(
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

/** Handles `/api/datasets/NAME/paths-info/REV` for the existing paths. */
export function answerPathsInfo(call: Call, repository: HubRepository, rest: string): Answer {
  const { revision } = repository.revisionIn(rest);
  const commit = repository.at(revision);
  if (commit === undefined) return answerNoRevision(revision);
  const { paths, expand } = pathsIn(call.body.toString('utf8'));
  const wanted = paths.map((path) => path.replace(/\/$/, ''));
  return answerJson(
    200,
    entriesBelow(repository, commit, '', expand).filter(({ path }) => wanted.includes(path)),
  );
}

/** Parses paths from JSON (JavaScript client) or a form (Python client). */
function pathsIn(body: string): { paths: string[]; expand: boolean } {
  if (!body.startsWith('{')) {
    const form = new URLSearchParams(body);
    return { paths: form.getAll('paths'), expand: form.get('expand')?.toLowerCase() === 'true' };
  }
  const { paths, expand } = z
    .object({ paths: z.union([z.string(), z.array(z.string())]), expand: z.boolean().optional() })
    .parse(JSON.parse(body));
  return { paths: [paths].flat(), expand: expand ?? false };
}

interface Entry {
  readonly type: 'file' | 'directory';
  readonly path: string;
}

/** Lists everything below a folder, including folders, sorted by path. */
function entriesBelow(
  repository: HubRepository,
  commit: HubCommit,
  folder: string,
  expand: boolean,
): Entry[] {
  const below = [...commit.files].filter(([path]) => folder === '' || path.startsWith(`${folder}/`));
  const more = (path: string) => expand && { lastCommit: lastChange(repository, commit, path) };
  const files = below.map(
    ([
      path,
      {
        oid,
        bytes: { length },
        lfs,
        xetHash,
      },
    ]) => ({
      type: 'file' as const,
      oid,
      size: length,
      path,
      ...(lfs && { lfs }),
      ...(xetHash !== undefined && { xetHash }),
      ...more(path),
    }),
  );
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
    ...more(path),
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

/** Returns the commit that last changed a file, or any file of a folder. */
function lastChange(repository: HubRepository, head: HubCommit, path: string): object {
  const state = ({ files }: HubCommit): string =>
    [...files]
      .filter(([file]) => file === path || file.startsWith(`${path}/`))
      .map(([, { oid }]) => oid)
      .join();
  const log = repository.log(head.id);
  const change = log.find((commit, index) => {
    const before = log[index + 1];
    return before === undefined || state(before) !== state(commit);
  });
  const { id, title, date } = change ?? head;
  return { id, title, date };
}

/** Handles `/api/datasets/NAME/commits/REV`. */
export function answerCommits(call: Call, repository: HubRepository, rest: string): Answer {
  const { revision } = repository.revisionIn(rest);
  if (repository.at(revision) === undefined) return answerNoRevision(revision);
  const log = repository.log(revision);
  const limit = Number(call.url.searchParams.get('limit') ?? 50);
  const page = Number(call.url.searchParams.get('p') ?? 0);
  const next = new URL(call.url);
  next.searchParams.set('p', String(page + 1));
  const shown = log.slice(page * limit, (page + 1) * limit).map(({ id, title, message, author, date }) => ({
    id,
    title,
    message,
    authors: [{ user: author, avatar: `/avatars/${author}.svg` }],
    date,
  }));
  return answerJson(200, shown, {
    'x-total-count': String(log.length),
    ...((page + 1) * limit < log.length && { link: `<${next.href}>; rel="next"` }),
  });
}

/** Handles `/api/datasets/NAME/refs`. */
export function answerRefs(call: Call, repository: HubRepository): Answer {
  const all = [...repository.refs].map(([name, targetCommit]) => ({
    name,
    ref: name.startsWith('refs/') ? name : `refs/heads/${name}`,
    targetCommit,
  }));
  return answerJson(200, {
    branches: all.filter(({ name }) => !name.startsWith('refs/')),
    converts: [],
    tags: [],
    ...(call.url.searchParams.has('include_prs') && {
      pullRequests: all.filter(({ name }) => name.startsWith('refs/pr/')),
    }),
  });
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

/**
 * Handles `/datasets/NAME/resolve/REV/PATH`: small files directly, large ones by the store. For a file uploaded by Xet, a request for it is
 * also shown the way to download it by Xet.
 */
export function resolve(call: Call, repository: HubRepository, rest: string): Answer {
  const { revision, path } = repository.revisionIn(rest);
  const commit = repository.at(revision);
  if (commit === undefined) return answerNoRevision(revision);
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
    ...xetHeaders(call, repository, commit, file),
  };
  if (file.xetHash !== undefined && call.headers.accept?.includes(XET_INFO) === true) {
    return answerJson(
      200,
      { hash: file.xetHash, etag: lfs.oid, size: lfs.size },
      { ...linked, 'content-type': XET_INFO },
    );
  }
  return {
    status: 302,
    headers: { ...linked, location: `${call.store}/store/${repository.name}/${commit.id}/${path}` },
    body: Buffer.alloc(0),
  };
}

const XET_INFO = 'application/vnd.xet-fileinfo+json';

function xetHeaders(
  call: Call,
  { name }: HubRepository,
  { id }: HubCommit,
  { xetHash }: HubFile,
): Record<string, string> {
  if (xetHash === undefined) return {};
  const token = `${call.hub}/api/datasets/${name}/xet-read-token/${id}`;
  const reconstruction = `${call.store}/v1/reconstructions/${xetHash}`;
  return {
    'x-xet-hash': xetHash,
    'x-xet-refresh-route': token,
    link: `<${token}>; rel="xet-auth", <${reconstruction}>; rel="xet-reconstruction-info"`,
  };
}

/** Handles `/datasets/NAME/raw/REV/PATH` with git's content: the pointer of a large file. */
export function answerRaw(call: Call, repository: HubRepository, rest: string): Answer {
  const { revision, path } = repository.revisionIn(rest);
  const commit = repository.at(revision);
  if (commit === undefined) return answerNoRevision(revision);
  const file = commit.files.get(path);
  if (file === undefined) return answerRefusal(404, 'Entry not found', 'EntryNotFound');
  const content = file.lfs === undefined ? file.bytes : buildPointer(file.lfs.oid, file.lfs.size);
  return answerBytes(call, content, { 'x-repo-commit': commit.id, etag: `"${file.oid}"` });
}

/** Handles `/api/validate-yaml`, which the Python client calls before it sends a card. */
export function validateYaml(call: Call): Answer {
  const { content } = z.object({ content: z.string() }).parse(JSON.parse(call.body.toString('utf8')));
  const errors = listMetadataErrors(content).map((message) => ({ message }));
  return answerJson(errors.length === 0 ? 200 : 400, { errors, warnings: [] });
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
