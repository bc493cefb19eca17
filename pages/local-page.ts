import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { getErrorCode } from '../data/store/system-error';
import { InputError } from '../schemas/input-error';
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
  close(): Promise<void>;
}

/** The requested port cannot be used. */
export class PortError extends InputError {
  override readonly name = 'PortError';
}

/**
 * Serves a page only to the browser of this machine's user. It listens on the loopback interface only. It rejects
 * requests without its token, from another origin, or naming another host (DNS rebinding). The page loads everything
 * from this server, and its HTML has no inline script or style, so texts of models cannot run.
 * @throws PortError when the port is in use
 */
export async function servePage({
  files,
  api,
  port,
  usualPort,
  visitors = [''],
}: PageParts): Promise<LocalPage> {
  const tokens = visitors.map((visitor) => ({ visitor, token: randomBytes(32).toString('base64url') }));
  const served = await readFiles(files);
  const hosts = new Set<string>();
  let cookie = '';

  const app = new Hono<PageEnvironment>();
  app.use(addHeaders);
  app.use(async (context, next) => {
    const { method } = context.req;
    const origin = context.req.header('origin');
    if (!hosts.has(context.req.header('host') ?? '')) return rejectRequest(context, WRONG_HOST);
    if (origin !== undefined && !hosts.has(origin.replace(/^http:\/\//, '')))
      return rejectRequest(context, WRONG_ORIGIN);
    // Browsers send the origin with every request that may change something.
    if (origin === undefined && method !== 'GET' && method !== 'HEAD')
      return rejectRequest(context, WRONG_ORIGIN);
    return next();
  });
  app.use(async (context, next) => {
    const given = context.req.query('token');
    const known = tokens.find(({ token }) => isSame(given ?? getCookie(context, cookie) ?? '', token));
    if (known === undefined) return rejectRequest(context, NO_TOKEN);
    if (given === undefined) {
      context.set('visitor', known.visitor);
      return next();
    }
    // A Strict cookie would not be sent after a link from another site, such as a web terminal.
    setCookie(context, cookie, known.token, { httpOnly: true, sameSite: 'Lax', path: '/' });
    const address = new URL(context.req.url);
    address.searchParams.delete('token');
    return context.redirect(`/${address.search}`);
  });
  app.use(bodyLimit({ maxSize: MOST_BODY_BYTES, onError: (context) => context.text(TOO_LARGE, 413) }));
  app.route('/api', api);
  app.get('*', (context) => {
    const path = new URL(context.req.url).pathname;
    const file = served.get(path === '/' ? '/index.html' : path);
    return file === undefined
      ? context.text('There is no such page.', 404)
      : context.body(file.content, 200, { 'Content-Type': file.type });
  });
  app.onError((error, context) => context.json({ error: error.message }, 500));

  const server = createAdaptorServer({ fetch: app.fetch });
  const listen = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(wanted, LOOPBACK, resolve);
    }).finally(() => server.removeAllListeners('error'));
  await listen(port ?? usualPort ?? 0).catch((error: unknown) => {
    if (getErrorCode(error) !== 'EADDRINUSE') throw error;
    if (port !== undefined) throw createPortError(port, error);
    return listen(0);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The page has no port. Try again.');
  const { port: bound } = address;
  for (const host of listHosts(bound)) hosts.add(host);
  // The name contains the port, because all ports of a host share cookies.
  cookie = `cupid-${bound}`;
  const links = new Map(
    tokens.map(({ visitor, token }) => [visitor, `http://${LOOPBACK}:${bound}/?token=${token}`]),
  );
  return {
    url: [...links.values()][0] ?? '',
    links,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

const LOOPBACK = '127.0.0.1';
/** Port that browsers leave out of an address. */
const HTTP_PORT = 80;

/** Lists the host names that browsers send for a page on this port. */
export function listHosts(port: number): string[] {
  return [LOOPBACK, 'localhost'].map((name) => (port === HTTP_PORT ? name : `${name}:${port}`));
}

/** Pages send only text that a person wrote. */
const MOST_BODY_BYTES = 1_000_000;
const TOO_LARGE = 'This request is too large: a page accepts 1 MB.';

const WRONG_HOST = 'This page is served at 127.0.0.1 only. Open the link that cupid printed.';
const WRONG_ORIGIN = 'This page accepts no requests from other pages.';
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

function rejectRequest(context: Context, why: string): Response {
  return context.text(why, 403);
}

/** Compares hashes in constant time, which reveals nothing about the token. */
function isSame(given: string, token: string): boolean {
  const [one, other] = [given, token].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Reads the files of a directory by the paths that serve them. No other file is served. */
async function readFiles(
  directory: string,
): Promise<Map<string, { readonly type: string; readonly content: string }>> {
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
