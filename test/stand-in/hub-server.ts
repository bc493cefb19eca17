import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../ports';
import * as api from './hub-api';
import { Faults, type Stage, type Transfer } from './hub-faults';
import { answerBytes, answerJson, answerRefusal, send, type Answer, type Call } from './hub-http';
import { LargeFiles } from './hub-lfs';
import { HubRepository, type HubCommit, type Repository } from './hub-repository';
import { buildAccount, isMember, mayWrite, findToken, type HubUser } from './hub-users';
import * as write from './hub-write';
import { XetStore } from './hub-xet';

/** A request to the Hub, or to the store that it sends downloads to. */
export interface HubRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly host: 'hub' | 'store';
  readonly authorization: string | undefined;
  readonly stage: Stage | undefined;
  /** Size of its body; 0 if the connection broke first. */
  readonly bytes: number;
}

/**
 * A Hub with the real one's HTTP: accounts, repositories, branches, commits, large files by LFS or by Xet, revisions, trees in pages,
 * paths, and downloads. As with the real one, large files are in a store at another address; the same server answers for both. All of it is
 * in memory.
 */
export class HubStandIn {
  readonly received: HubRequest[] = [];
  /** Existing tokens; any other is refused, even for public data. */
  readonly tokens = new Set<string>();
  /** Owner and permissions of each token. A token only in `tokens` is a reader's. */
  readonly users = new Map<string, HubUser>();
  /** While set, the store breaks its connections after this many bytes. */
  cutAfter: number | undefined;
  /** While set, the store sends wrong bytes. */
  alters = false;
  readonly #repositories = new Map<string, HubRepository>();
  readonly #moved = new Map<string, string>();
  readonly #large = new LargeFiles();
  readonly #xet = new XetStore();
  readonly #faults = new Faults();
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<HubStandIn> {
    const hub = new HubStandIn();
    const server = createServer((request, response) => void hub.#respond(request, response));
    // A connection breaks when a test says so, and never for being idle.
    server.keepAliveTimeout = 0;
    hub.#port = await listen(server);
    hub.#server = server;
    return hub;
  }

  /** Returns the value for HF_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Returns the transfer of large files, 'basic' by default. A client that does not support it gets 'basic'. */
  get transfer(): Transfer {
    return this.#large.transfer;
  }

  set transfer(transfer: Transfer) {
    this.#large.transfer = transfer;
  }

  /** Sets the size in bytes above which an announced file is refused. */
  set largestObject(size: number) {
    this.#large.largestObject = size;
  }

  add(repository: Repository): void {
    this.#repositories.set(repository.name, HubRepository.described(repository));
  }

  /** Creates a data set as the site does: with a first commit that contains a `.gitattributes`. */
  makeRepository(name: string): void {
    const [owner = ''] = name.split('/');
    this.#repositories.set(name, HubRepository.created(name, false, owner));
  }

  /** Renames a data set as in its settings: requests with the old name are redirected. */
  rename(name: string, to: string): void {
    const repository = this.#repository(name);
    this.#repositories.delete(name);
    repository.name = to;
    this.#repositories.set(to, repository);
    this.#moved.set(name, to);
  }

  has(name: string): boolean {
    return this.#repositories.has(name);
  }

  isPrivate(name: string): boolean {
    return this.#repository(name).private;
  }

  /** Returns branches, tags and `refs/pr/N`, with their commits. */
  refs(name: string): Map<string, string> {
    return new Map(this.#repository(name).refs);
  }

  /** Lists the commits, newest first. */
  commits(name: string, ref = 'main'): HubCommit[] {
    return this.#repository(name).log(ref);
  }

  files(name: string, ref = 'main'): Map<string, Buffer> {
    return new Map([...this.#head(name, ref).files].map(([path, file]) => [path, file.bytes]));
  }

  /** Adds a commit of somebody else, and returns its id; undefined content removes a file. */
  commitTo(name: string, files: Readonly<Record<string, string | Buffer | undefined>>, ref = 'main'): string {
    const head = this.#head(name, ref);
    const repository = this.#repository(name);
    const about = { title: 'of somebody else', message: '', author: 'somebody' };
    return repository.commit(ref, head.id, repository.changed(head, files), about).id;
  }

  /** Breaks the connection at the stage, this many times. */
  cut(stage: Stage, times = 1): void {
    this.#faults.cut(stage, times);
  }

  /** Makes the stage fail with an error, this many times. */
  refuse(
    stage: Stage,
    status: number,
    message: string,
    options: { times?: number; headers?: Record<string, string> } = {},
  ): void {
    this.#faults.refuse({
      stage,
      status,
      message,
      times: options.times ?? 1,
      headers: options.headers ?? {},
    });
  }

  /** Runs an action once, when a request reaches the stage, before it is served. */
  when(stage: Stage, action: () => void | Promise<void>): void {
    this.#faults.when(stage, action);
  }

  /** Returns the number of cuts and refusals that no request met yet. */
  faultsLeft(): number {
    return this.#faults.left();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    // The store is the same machine by another name: for a client, another origin.
    const host = request.headers.host?.startsWith('localhost') === true ? 'store' : 'hub';
    const route = host === 'store' ? this.#storeRoute(request, url) : this.#hubRoute(request, url);
    const { stage } = route;
    const noted = {
      method: request.method ?? '',
      path: `${url.pathname}${url.search}`,
      host,
      authorization: request.headers.authorization,
      stage,
      bytes: 0,
    } as const;
    const number = this.received.push(noted) - 1;
    if (stage !== undefined) await this.#faults.reach(stage);
    if (this.#faults.cuts(stage ?? '')) {
      request.socket.destroy();
      return;
    }
    const body = await buffer(request).catch(() => undefined);
    // The client has already gone.
    if (body === undefined) return;
    this.received[number] = { ...noted, bytes: body.length };
    const answer = this.#answer(route, {
      method: noted.method,
      url,
      headers: request.headers,
      body,
      hub: this.url,
      store: `http://localhost:${this.#port}`,
    });
    if (answer.status < 300 && this.#faults.cuts(`${stage}-after`)) request.socket.destroy();
    else send(request, response, answer);
  }

  #answer({ stage, serve }: Route, call: Call): Answer {
    const refused = this.#faults.refusal(stage ?? '');
    if (refused !== undefined)
      return answerRefusal(refused.status, refused.message, undefined, refused.headers);
    try {
      return serve(call);
    } catch (error) {
      // A request that is not understood is an error of a client, or of the stand-in, and must be seen.
      return answerRefusal(
        400,
        `The stand-in does not understand ${call.method} ${call.url.pathname}: ${String(error)}`,
      );
    }
  }

  #storeRoute(request: IncomingMessage, url: URL): Route {
    const [, first = '', second = '', , fourth = ''] = url.pathname.split('/');
    if (first === 'store') return { stage: 'store', serve: (call) => this.#download(call) };
    if (first === 'objects' && request.method === 'PUT') {
      return { stage: 'upload', serve: (call) => this.#large.put(call) };
    }
    if (second === 'xorbs') return { stage: 'xorb', serve: (call) => this.#xet.putXorb(call, fourth) };
    if (second === 'shards') return { stage: 'shard', serve: (call) => this.#xet.putShard(call) };
    // No chunk is known of another file.
    if (second === 'chunks') return { stage: 'chunks', serve: () => answerRefusal(404, 'Not known.') };
    return nothingHere(url);
  }

  #hubRoute(request: IncomingMessage, url: URL): Route {
    if (url.pathname === '/api/whoami-v2') {
      return {
        stage: 'whoami',
        serve: (call) => this.#asUser(call, (user) => answerJson(200, buildAccount(user))),
      };
    }
    if (url.pathname === '/api/repos/create') {
      const create = (call: Call) => (user: HubUser) =>
        write.createRepository(call, user, this.#repositories);
      return { stage: 'create', serve: (call) => this.#asUser(call, create(call)) };
    }
    const [, name] = /^\/datasets\/([^/]+\/[^/]+)\.git\/info\/lfs\/objects\/batch$/.exec(url.pathname) ?? [];
    if (name !== undefined) return { stage: 'lfs-batch', serve: (call) => this.#batch(call, name) };
    return this.#repositoryRoute(request, url);
  }

  #repositoryRoute(request: IncomingMessage, url: URL): Route {
    const [, prefix = '', name = '', verb = '', rest = ''] =
      /^\/(api\/)?datasets\/([^/]+\/[^/]+)(?:\/([^/]+)(?:\/(.*))?)?$/.exec(url.pathname) ?? [];
    const to = this.#moved.get(name);
    if (to !== undefined) {
      const headers = { location: `${url.pathname.replace(name, to)}${url.search}` };
      return { stage: undefined, serve: () => answerRefusal(307, `Moved to ${to}.`, undefined, headers) };
    }
    const reading = (
      stage: Stage,
      serve: (call: Call, repository: HubRepository, place: api.Place) => Answer,
    ): Route => ({
      stage,
      serve: (call) =>
        this.#inRepository(call, name, (repository) =>
          api.answerAt(repository, rest, (place) => serve(call, repository, place)),
        ),
    });
    const writing = (
      stage: Stage,
      serve: (call: Call, user: HubUser, repository: HubRepository) => Answer,
    ): Route => ({
      stage,
      serve: (call) => this.#asWriter(call, name, (user, repository) => serve(call, user, repository)),
    });
    if (prefix === '') {
      if (verb !== 'resolve') return nothingHere(url);
      return reading('resolve', (call, ...at) => gated(call, at[0]) ?? api.resolve(call, ...at));
    }
    if (request.method === 'GET' && (verb === '' || verb === 'revision'))
      return reading('info', api.answerInfo);
    if (verb === 'tree') return reading('tree', api.answerTree);
    if (verb === 'paths-info') return reading('paths-info', api.answerPathsInfo);
    if (verb === 'discussions') return reading('discussions', api.answerDiscussions);
    if (verb === 'branch')
      return writing('branch', (call, _, repository) => write.answerBranch(call, repository, rest));
    if (verb === 'preupload')
      return writing('preupload', (call, _, repository) =>
        api.answerAt(repository, rest, (place) => write.answerPreupload(call, place)),
      );
    if (verb === 'commit')
      return writing('commit', (call, user, repository) =>
        api.answerAt(repository, rest, (place) => write.answerCommit(call, user, repository, place)),
      );
    return nothingHere(url);
  }

  #batch(call: Call, name: string): Answer {
    return this.#asWriter(call, name, (_, repository) =>
      this.#large.batch(call, repository, () => this.#xet.batchHeaders(repository, call.store)),
    );
  }

  /** Sends a file of a commit from the store. */
  #download(call: Call): Answer {
    const [, , owner, name, commit = '', ...path] = call.url.pathname.split('/');
    const file = this.#repositories
      .get(`${owner}/${name}`)
      ?.at(commit)
      ?.files.get(path.map(decodeURIComponent).join('/'));
    if (file === undefined) return answerRefusal(404, 'no such object');
    const content = Buffer.from(file.bytes);
    if (this.alters) content.writeUInt8(content.readUInt8(9) ^ 1, 9);
    const cut = call.headers.range === undefined ? this.cutAfter : undefined;
    return answerBytes(call, content, { etag: '"of-the-store"' }, cut);
  }

  #asUser(call: Call, serve: (user: HubUser) => Answer): Answer {
    const token = findToken(call);
    if (token === undefined) return answerRefusal(401, 'Invalid username or password.');
    const user = this.#userOf(token);
    return user === undefined
      ? answerRefusal(401, 'Invalid credentials in Authorization header')
      : serve(user);
  }

  #userOf(token: string): HubUser | undefined {
    return this.users.get(token) ?? (this.tokens.has(token) ? { name: 'reader', role: 'read' } : undefined);
  }

  #inRepository(call: Call, name: string, serve: (repository: HubRepository) => Answer): Answer {
    const token = findToken(call);
    const user = token === undefined ? undefined : this.#userOf(token);
    if (token !== undefined && user === undefined) {
      return answerRefusal(401, 'Invalid credentials in Authorization header');
    }
    const repository = this.#repositories.get(name);
    const visible =
      repository?.private === false ||
      repository?.privateFor.includes(token ?? '') === true ||
      isMember(user, name.split('/')[0] ?? '');
    if (repository !== undefined && visible) return serve(repository);
    // The real one does not reveal to strangers whether it exists.
    if (token === undefined) return answerRefusal(401, 'Invalid username or password.');
    return answerRefusal(404, 'Repository not found', 'RepoNotFound');
  }

  /** Serves a request that needs the right to write. A pull request needs none, but its large files do. */
  #asWriter(call: Call, name: string, serve: (user: HubUser, repository: HubRepository) => Answer): Answer {
    return this.#inRepository(call, name, (repository) =>
      this.#asUser(call, (user) => {
        const pullRequest = isForPullRequest(call);
        if (!mayWrite(user, pullRequest ? undefined : name))
          return answerRefusal(403, 'Forbidden: you must use a write token to upload to a repository.');
        if (isMember(user, repository.namespace) || pullRequest) return serve(user, repository);
        return /\/(preupload|commit)\//.test(call.url.pathname)
          ? answerRefusal(403, 'Forbidden: pass `create_pr=1` as a query parameter to create a Pull Request')
          : answerRefusal(403, 'Authorization error.');
      }),
    );
  }

  #repository(name: string): HubRepository {
    const repository = this.#repositories.get(name);
    if (repository === undefined) throw new Error(`There is no ${name} on the stand-in.`);
    return repository;
  }

  #head(name: string, ref: string): HubCommit {
    const head = this.#repository(name).at(ref);
    if (head === undefined) throw new Error(`${name} has no ${ref}.`);
    return head;
  }
}

interface Route {
  readonly stage: Stage | undefined;
  readonly serve: (call: Call) => Answer;
}

function nothingHere(url: URL): Route {
  return { stage: undefined, serve: () => answerRefusal(404, `There is no ${url.pathname} here.`) };
}

/** Returns the refusal of a gated repository's files, if there is one. */
function gated(call: Call, { gatedFor }: HubRepository): Answer | undefined {
  const token = findToken(call);
  if (gatedFor === undefined || gatedFor.includes(token ?? '')) return undefined;
  return answerRefusal(token === undefined ? 401 : 403, 'Access to this dataset is restricted.', 'GatedRepo');
}

/** Returns whether an upload of large files is for a pull request, which everybody may open: it then names no branch. */
function isForPullRequest({ url, body }: Call): boolean {
  const batch = url.pathname.endsWith('/info/lfs/objects/batch');
  return url.searchParams.get('create_pr') === '1' || (batch && !body.includes('"ref"'));
}
