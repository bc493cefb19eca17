import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';

/** A data set as the stand-in holds it. */
export interface Repository {
  /** `owner/name` */
  readonly name: string;
  /** Paths and contents, a set for each commit (40 hexadecimal digits). */
  readonly commits: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;
  /** Branches and tags. */
  readonly refs: Readonly<Record<string, string>>;
  /** Everyone sees that it is there; only tokens that it lists may download. */
  readonly gatedFor?: readonly string[];
  /** To everyone but these tokens it does not exist. */
  readonly privateFor?: readonly string[];
}

/** A request that the Hub, or the store that it sends downloads to, received. */
export interface HubRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly host: 'hub' | 'store';
  readonly authorization: string | undefined;
}

/**
 * A Hub that speaks the real one's HTTP: revisions, trees in pages, paths, and downloads; large files (from 1 kB on) are sent
 * to a store at another address, as the real one does. The same server answers for both.
 */
export class HubStandIn {
  readonly received: HubRequest[] = [];
  /** Tokens that exist; any other is refused, also for what everyone may read. */
  readonly tokens = new Set<string>();
  /** While set, the store breaks its connections off after so many bytes. */
  cutAfter: number | undefined;
  /** While set, the store sends other bytes than it should. */
  alters = false;
  readonly #repositories = new Map<string, Repository>();
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<HubStandIn> {
    const hub = new HubStandIn();
    const server = createServer((request, response) => void hub.#respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The stand-in is not listening.');
    hub.#port = address.port;
    hub.#server = server;
    return hub;
  }

  /** What HF_ENDPOINT is set to. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  add(repository: Repository): void {
    this.#repositories.set(repository.name, repository);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    // The store is the same machine by another name: to a client, another origin.
    const host = request.headers.host?.startsWith('localhost') === true ? 'store' : 'hub';
    const { authorization } = request.headers;
    this.received.push({
      method: request.method ?? '',
      path: `${url.pathname}${url.search}`,
      host,
      authorization,
    });
    const body = await bodyOf(request);
    if (host === 'store') this.#store(url, request, response);
    else this.#hub(url, request, response, body);
  }

  #hub(url: URL, request: IncomingMessage, response: ServerResponse, body: string): void {
    const token = request.headers.authorization?.replace(/^Bearer /, '');
    if (token !== undefined && !this.tokens.has(token)) {
      refuse(response, 401, 'Invalid credentials in Authorization header');
      return;
    }
    const [, api, name = '', verb = '', rest = ''] =
      /^\/(api\/)?datasets\/([^/]+\/[^/]+)(?:\/([^/]+)(?:\/(.*))?)?$/.exec(url.pathname) ?? [];
    const repository = this.#repositories.get(name);
    const visible = repository?.privateFor === undefined || repository.privateFor.includes(token ?? '');
    if (repository === undefined || !visible) {
      // The real one does not tell strangers whether it exists.
      if (token === undefined) refuse(response, 401, 'Invalid username or password.');
      else refuse(response, 404, 'Repository not found', 'RepoNotFound');
      return;
    }
    const [rawRevision = '', ...path] = rest.split('/');
    const revision = decodeURIComponent(rawRevision);
    const wanted = verb === '' ? 'main' : revision;
    const commit = repository.refs[wanted] ?? wanted;
    const files = repository.commits[commit];
    if (files === undefined) {
      refuse(response, 404, `Invalid rev id: ${wanted}`, 'RevisionNotFound');
      return;
    }
    const listed = Object.entries(files).map(([file, content]) => listing(file, content));
    if (api !== undefined && ['', 'revision'].includes(verb)) {
      send(response, 200, infoOf(repository, commit, Object.keys(files)));
    } else if (api !== undefined && verb === 'tree') {
      this.#tree(url, listed, response);
    } else if (api !== undefined && verb === 'paths-info') {
      const paths = pathsIn(body);
      send(
        response,
        200,
        listed.filter(({ path: file }) => paths.includes(file)),
      );
    } else if (api === undefined && verb === 'resolve') {
      this.#resolve(repository, commit, decodeURIComponent(path.join('/')), token, request, response);
    } else {
      refuse(response, 404, `There is no ${url.pathname} here.`);
    }
  }

  /** Two entries a page, so that clients must turn pages. */
  #tree(url: URL, listed: readonly object[], response: ServerResponse): void {
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const next = new URL(url);
    next.searchParams.set('cursor', String(from + 2));
    const headers: Record<string, string> =
      from + 2 < listed.length ? { link: `<${next.href}>; rel="next"` } : {};
    send(response, 200, listed.slice(from, from + 2), headers);
  }

  #resolve(
    repository: Repository,
    commit: string,
    path: string,
    token: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    if (repository.gatedFor !== undefined && !repository.gatedFor.includes(token ?? '')) {
      refuse(response, token === undefined ? 401 : 403, 'Access to this dataset is restricted.', 'GatedRepo');
      return;
    }
    const content = repository.commits[commit]?.[path];
    if (content === undefined) {
      refuse(response, 404, 'Entry not found', 'EntryNotFound');
      return;
    }
    const { oid, size, lfs } = listing(path, content);
    const headers = { 'x-repo-commit': commit, 'accept-ranges': 'bytes' };
    if (lfs === undefined) {
      sendBytes(request, response, Buffer.from(content), { ...headers, etag: `"${oid}"` });
      return;
    }
    response.writeHead(302, {
      ...headers,
      'x-linked-etag': `"${lfs.oid}"`,
      'x-linked-size': String(size),
      etag: `"${oid}"`,
      location: `http://localhost:${this.#port}/store/${repository.name}/${commit}/${path}`,
    });
    response.end();
  }

  #store(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const [, , owner, name, commit = '', ...path] = url.pathname.split('/');
    const content = this.#repositories.get(`${owner}/${name}`)?.commits[commit]?.[path.join('/')];
    if (content === undefined) {
      refuse(response, 404, 'no such object');
      return;
    }
    const bytes = Buffer.from(content);
    if (this.alters) bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9);
    const cut = request.headers.range === undefined ? this.cutAfter : undefined;
    sendBytes(request, response, bytes, { etag: '"of-the-store"' }, cut);
  }
}

const LARGE = 1000;

function listing(path: string, content: string | Buffer) {
  const bytes = Buffer.from(content);
  const size = bytes.length;
  const oid = createHash('sha1').update(`blob ${size}\0`).update(bytes).digest('hex');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const lfs = size < LARGE ? undefined : { oid: sha256, size, pointerSize: 130 };
  return { type: 'file', path, size, oid, ...(lfs && { lfs }) };
}

function infoOf(repository: Repository, sha: string, files: readonly string[]): object {
  return {
    _id: '0',
    id: repository.name,
    sha,
    private: repository.privateFor !== undefined,
    gated: repository.gatedFor === undefined ? false : 'manual',
    disabled: false,
    downloads: 0,
    likes: 0,
    tags: [],
    lastModified: '2026-01-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
    siblings: files.map((rfilename) => ({ rfilename })),
  };
}

/** The JavaScript client sends JSON, the Python one a form. */
function pathsIn(body: string): string[] {
  if (!body.startsWith('{')) return new URLSearchParams(body).getAll('paths');
  const { paths } = z.object({ paths: z.union([z.string(), z.array(z.string())]) }).parse(JSON.parse(body));
  return [paths].flat();
}

function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  cutAfter?: number,
): void {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const from = Number(first ?? 0);
  const to = last ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1;
  const part = bytes.subarray(from, to + 1);
  const range = first === undefined ? {} : { 'content-range': `bytes ${from}-${to}/${bytes.length}` };
  response.writeHead(first === undefined ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'content-length': String(part.length),
    ...headers,
    ...range,
  });
  if (request.method === 'HEAD') response.end();
  else if (cutAfter === undefined) response.end(part);
  else response.write(part.subarray(0, cutAfter), () => response.destroy());
}

function refuse(response: ServerResponse, status: number, message: string, code?: string): void {
  send(
    response,
    status,
    { error: message },
    {
      'x-error-message': message,
      ...(code !== undefined && { 'x-error-code': code }),
    },
  );
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
