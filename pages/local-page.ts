import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { getPath } from 'hono/utils/url';
import { hashText } from '../data/store/files';
import { getErrorCode } from '../data/store/system-error';
import { InputError } from '../schemas/input-error';
import {
  createPageHosts,
  findHubPath,
  findPublicUrl,
  IPV6_LOOPBACK,
  LOOPBACK,
  type PageHosts,
} from './page-hosts';
import { PAGE_POLICY } from './policy';

/** Parts that a page is made of. */
interface PageParts {
  /** Directory with `index.html` and the files that it loads, as `npm run build` writes it. */
  readonly files: string;
  /** Server of the page's requests, below `/api`. */
  readonly api: Hono<PageEnvironment>;
  /** Names of the people who may open the page, each by a link of their own; absent for one user without a name. */
  readonly visitors?: readonly string[];
  /** Port that the user requests. */
  readonly port?: number | undefined;
  /** Port to use if it is free and `port` is absent. With a stable port, the browser finds what the page stored in it. */
  readonly usualPort?: number | undefined;
  /** Address of the proxy that shows the page, in which `{port}` is its port; absent for the one that the environment names, if any. */
  readonly publicUrl?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** Environment of a request: who opened the page. */
export interface PageEnvironment {
  readonly Variables: { readonly visitor: string };
}

/** A page that this machine's user opens in a browser. */
export interface LocalPage {
  /** The only link, or that of the first visitor. It includes a token: opening it once authorizes the browser. */
  readonly url: string;
  /** The link of each visitor, by name. */
  readonly links: ReadonlyMap<string, string>;
  /** True if a proxy shows the page, so that its links work on other machines, too. */
  readonly isProxied: boolean;
  close(): Promise<void>;
}

/** The requested port cannot be used. */
export class PortError extends InputError {
  override readonly name = 'PortError';
}

/**
 * Serves a page only to the browser of this machine's user. It listens on the loopback interface only. It rejects
 * requests without its token, from another origin, or naming an unknown host (DNS rebinding). The page loads everything
 * from this server, and its HTML has no inline script or style, so texts of models cannot run.
 * @throws PortError when the port is in use
 */
export async function servePage({
  files,
  api,
  port,
  usualPort,
  publicUrl,
  environment,
  visitors = [''],
}: PageParts): Promise<LocalPage> {
  const servedFiles = await readFiles(files);
  const server = createServer(SERVER_OPTIONS);
  await listen(server, LOOPBACK, port ?? usualPort ?? 0).catch((error: unknown) => {
    if (getErrorCode(error) !== 'EADDRINUSE') throw error;
    if (port !== undefined) throw createPortError(port, error);
    return listen(server, LOOPBACK, 0);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The page has no port. Try again.');
  const hosts = createPageHosts(
    address.port,
    publicUrl ?? findPublicUrl(environment),
    // Windows forwards this name into WSL.
    environment['WSL_DISTRO_NAME'] === undefined ? LOOPBACK : 'localhost',
  );
  const tokens = visitors.map((visitor) => ({ visitor, token: randomBytes(32).toString('base64url') }));
  const app = createApp({
    hosts,
    tokens,
    servedFiles,
    api,
    port: address.port,
    example: `https://HOST${findHubPath(environment) ?? '/proxy/{port}/'}`,
  });
  const answer = getRequestListener(app.fetch);
  const answerRequest: RequestListener = (incoming, outgoing) => void answer(incoming, outgoing);
  server.on('request', answerRequest);
  // Browsers may resolve localhost to this address. A machine may lack it, or another program may use its port.
  const ipv6Server = createServer(SERVER_OPTIONS, answerRequest);
  const servers = await listen(ipv6Server, IPV6_LOOPBACK, address.port).then(
    () => [server, ipv6Server],
    () => [server],
  );
  const links = new Map(
    tokens.map(({ visitor, token }) => [visitor, new URL(`?token=${token}`, hosts.url).href]),
  );
  return {
    url: [...links.values()][0] ?? '',
    links,
    isProxied: hosts.isProxied,
    close: async () => {
      await Promise.all(servers.map(closeServer));
    },
  };
}

/** A request names the search of its page, and has the cookies of all programs on this host. Node.js allows 16 kB. */
const SERVER_OPTIONS = { maxHeaderSize: 64 * 1024 } as const;

async function listen(server: Server, address: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  }).finally(() => server.removeAllListeners('error'));
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface AppParts extends Pick<PageParts, 'api'> {
  readonly hosts: PageHosts;
  readonly tokens: readonly { readonly visitor: string; readonly token: string }[];
  readonly servedFiles: ReadonlyMap<string, ServedFile>;
  /** Port that the page's server listens on. */
  readonly port: number;
  /** Example of a `--public-url`. */
  readonly example: string;
}

/** Creates the server of a page's requests. Links are relative, because a proxy may show the page below any path. */
function createApp({ hosts, tokens, servedFiles, api, port, example }: AppParts): Hono<PageEnvironment> {
  // Decoded as the paths of requests are.
  const prefix = getPath(new Request(hosts.url));
  const app = new Hono<PageEnvironment>({
    // Some proxies remove their path from requests, others keep it.
    getPath(request) {
      const path = getPath(request);
      return path.startsWith(prefix) ? path.slice(prefix.length - 1) : path;
    },
  });
  app.use(addHeaders);
  app.use(async (context, next) => {
    const { method } = context.req;
    const host = context.req.header('host') ?? '';
    const origin = context.req.header('origin');
    if (!hosts.isHost(host)) return rejectRequest(context, describeWrongHost(host, hosts, example));
    // Browsers send the origin with every request that may change something.
    const needsOrigin = method !== 'GET' && method !== 'HEAD';
    if (origin === undefined ? needsOrigin : !hosts.isOrigin(origin, host))
      return rejectRequest(context, describeWrongOrigin(origin, host, example));
    return next();
  });
  app.use(async (context, next) => {
    const cookie = nameCookie(context.req.header('host') ?? '', port);
    const queryToken = context.req.query('token');
    const visitorToken = tokens.find(({ token }) =>
      isSame(queryToken ?? getCookie(context, cookie) ?? '', token),
    );
    if (visitorToken === undefined) return rejectRequest(context, NO_TOKEN);
    if (queryToken === undefined) {
      context.set('visitor', visitorToken.visitor);
      return next();
    }
    // A Strict cookie would not be sent after a link from another site, such as a web terminal. Without a path, the
    // browser takes that of the link, which a proxy may have removed here.
    setCookie(context, cookie, visitorToken.token, { httpOnly: true, sameSite: 'Lax', path: '' });
    const address = new URL(context.req.url);
    address.searchParams.delete('token');
    return context.redirect(`./${address.search}`);
  });
  app.use(bodyLimit({ maxSize: MOST_BODY_BYTES, onError: (context) => context.text(TOO_LARGE, 413) }));
  app.route('/api', api);
  app.get('*', (context) => {
    const { path } = context.req;
    const file = servedFiles.get(path === '/' ? '/index.html' : path);
    return file === undefined
      ? context.html(
          `<p>There is no such page. <a href="${linkFirstPage(path)}">Open the first page</a></p>`,
          404,
        )
      : context.body(file.content, 200, { 'Content-Type': file.type });
  });
  app.onError((error, context) => context.json({ error: error.message }, 500));
  return app;
}

/**
 * Names the cookie by the port in the browser's address, because all ports of a host share cookies: tunnels to several
 * machines differ only in it.
 */
function nameCookie(host: string, port: number): string {
  return `cupid-${/:(\d+)$/.exec(host)?.[1] ?? port}`;
}

/** Returns the relative link from a path to the first page. */
function linkFirstPage(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}

/** Pages send only text that a person wrote. */
const MOST_BODY_BYTES = 1_000_000;
const TOO_LARGE = 'This request is too large: a page accepts 1 MB.';

function describeWrongHost(host: string, { url, isProxied }: PageHosts, example: string): string {
  const hostNames = isProxied ? `localhost and ${url.host}` : 'localhost';
  return `This request names the host ${quoteHeader(host)}, and this page is served as ${hostNames} only. Open the link that cupid printed. ${describeProxy(example)}`;
}

function describeWrongOrigin(origin: string | undefined, host: string, example: string): string {
  const source = origin === undefined ? 'names no origin' : `comes from a page of ${quoteHeader(origin)}`;
  return `This request ${source}, and this page, which was opened as ${host}, accepts none from other pages. ${describeProxy(example)}`;
}

function describeProxy(example: string): string {
  return `If a proxy such as JupyterHub's shows you the page, start the command again with the address that it gives the page: --public-url '${example}'`;
}

/** Quotes a header that a stranger may have written. */
function quoteHeader(value: string): string {
  return value.slice(0, 200).replaceAll(/[^\w.:/[\]-]/g, '?') || '(none)';
}

const NO_TOKEN = 'This page needs the token in the link that cupid printed. Open that link.';

const addHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
};

const HEADERS = {
  // Only a header can forbid frames.
  'Content-Security-Policy': [...PAGE_POLICY, "frame-ancestors 'none'"].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

function rejectRequest(context: Context, reason: string): Response {
  return context.text(reason, 403);
}

/** Compares hashes in constant time, which reveals nothing about the token. */
function isSame(candidate: string, token: string): boolean {
  return timingSafeEqual(Buffer.from(hashText(candidate)), Buffer.from(hashText(token)));
}

/** Reads the files of a directory by the paths that serve them. No other file is served. */
async function readFiles(directory: string): Promise<Map<string, ServedFile>> {
  const names = (await readdir(directory)).filter((name) => extname(name) in TYPES);
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const content = await readFile(join(directory, name), 'utf8');
        return [`/${name}`, { type: TYPES[extname(name)] ?? '', content }] as const;
      }),
    ),
  );
}

interface ServedFile {
  readonly type: string;
  readonly content: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

function createPortError(port: number, cause: unknown): PortError {
  return new PortError(
    `Port ${port} is in use by another program. Choose another one with --port, or leave the option out for a free one.`,
    { cause },
  );
}
