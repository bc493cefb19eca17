import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { PortError, servePage, type LocalPage, type PageEnvironment } from '../../../pages/local-page';
import { findOwnPort } from '../../ports';
import { createTemporaryFolder } from '../../temporary-folder';

const folder = createTemporaryFolder();
const files = join(folder, 'page');
let page: LocalPage;
let port: number;
let token: string;
let cookie: string;

beforeAll(async () => {
  mkdirSync(files);
  writeFileSync(join(files, 'index.html'), '<p>the page</p>');
  writeFileSync(join(files, 'page.js'), 'ok();');
  writeFileSync(join(files, 'notes.txt'), 'not of the page');
  writeFileSync(join(folder, 'secret.js'), 'secret');
  page = await servePage({ files, api: createApi(), visitors: ['anna', 'ben'], environment: {} });
  const url = new URL(page.url);
  port = Number(url.port);
  token = url.searchParams.get('token') ?? '';
  cookie = `cupid-${port}=${token}`;
});

afterAll(() => page.close());

function createApi(): Hono<PageEnvironment> {
  return new Hono<PageEnvironment>()
    .get('/who', (context) => context.text(context.get('visitor')))
    .get('/word', (context) => context.json({ word: 'heard' }))
    .post('/word', (context) => context.json({ word: 'changed' }))
    .post('/length', async (context) => context.json({ length: (await context.req.text()).length }))
    .get('/fail', () => {
      throw new Error('It failed.');
    });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly address?: string;
  readonly headers?: Record<string, string>;
  readonly port?: number;
}

/** Requests a path exactly as written, with any headers. */
async function ask(
  path: string,
  { method = 'GET', address = '127.0.0.1', headers = {}, port: asked = port }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: address, port: asked, path, method, headers, timeout: 2_000 },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', reject);
    sent.end();
  });
}

test('the link lets the browser in by a cookie that scripts cannot read, and leaves no token in the address', async () => {
  const { status, headers } = await ask(`/?token=${token}&s=3`);
  expect(status).toBe(302);
  expect(headers.location).toBe('./?s=3');
  expect(headers['set-cookie']).toEqual([`${cookie}; HttpOnly; SameSite=Lax`]);
  expect(await ask('/', { headers: { cookie } })).toMatchObject({ status: 200, text: '<p>the page</p>' });
  expect(await ask('/api/word', { headers: { cookie } })).toMatchObject({
    status: 200,
    text: '{"word":"heard"}',
  });
});

test('tunnels to pages on the same port of several machines have a cookie each', async () => {
  const listCookies = (host: string) =>
    ask(`/?token=${token}`, { headers: { host } }).then(({ headers }) => headers['set-cookie']);
  expect(await listCookies('localhost:9001')).toEqual([`cupid-9001=${token}; HttpOnly; SameSite=Lax`]);
  expect(await listCookies('localhost')).toEqual([`${cookie}; HttpOnly; SameSite=Lax`]);
  const headers = { host: 'localhost:9001', cookie: `cupid-9002=${'a'.repeat(43)}; cupid-9001=${token}` };
  expect(await ask('/', { headers })).toMatchObject({ status: 200 });
});

test('each visitor has a link of their own, and is known by it', async () => {
  const tokens = [...page.links].map(([name, link]) => [name, new URL(link).searchParams.get('token') ?? '']);
  expect(tokens.map(([name]) => name)).toEqual(['anna', 'ben']);
  for (const [name, own] of tokens) {
    const headers = { cookie: `cupid-${port}=${own}` };
    expect(await ask('/api/who', { headers })).toMatchObject({ status: 200, text: name });
    // A link that is opened in the same browser replaces the earlier visitor.
    expect((await ask(`/?token=${own}`, { headers: { cookie } })).headers['set-cookie']).toEqual([
      expect.stringContaining(`=${own};`),
    ]);
  }
});

test.each([
  ['no token', '/', {}],
  ['another token', `/?token=${'a'.repeat(43)}`, {}],
  ['no token for data', '/api/word', {}],
  ['no token for a script', '/page.js', {}],
  ['the cookie of another port', '/', { cookie: 'cupid-1=token' }],
])('%s is rejected', async (_, path, headers) => {
  const { status, text } = await ask(path, { headers });
  expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('Open that link') });
});

test.each([
  ['evil.example'],
  ['evil.example:80'],
  ['127.0.0.2'],
  ['localhost.evil.example'],
  ['127.0.0.1.evil.example'],
])('the host %s is rejected, with the right token too (DNS rebinding)', async (host) => {
  for (const path of ['/', '/api/word', `/?token=${token}`]) {
    const { status, headers, text } = await ask(path, { headers: { host, cookie } });
    expect({ status, text, cookie: headers['set-cookie'] }).toEqual({
      status: 403,
      text: expect.stringContaining(`names the host ${host}, and this page is served as localhost only`),
      cookie: undefined,
    });
  }
});

test('another origin is rejected; what changes something has to name its origin', async () => {
  const own = `http://127.0.0.1:${port}`;
  for (const origin of [
    'http://evil.example',
    'null',
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${port + 1}`,
  ]) {
    expect(await ask('/api/word', { headers: { cookie, origin } })).toMatchObject({ status: 403 });
  }
  expect(await ask('/api/word', { headers: { cookie, origin: own } })).toMatchObject({ status: 200 });
  expect(await ask('/api/word', { method: 'POST', headers: { cookie } })).toMatchObject({ status: 403 });
  expect(await ask('/api/word', { method: 'POST', headers: { cookie, origin: own } })).toMatchObject({
    status: 200,
  });
});

test.each([
  ['removes its path from requests, as JupyterHub and code-server do', '/user/ann/proxy/', true],
  ['leaves its path in requests', '/user/ann/proxy/absolute/', false],
  ['leaves a path with letters of any script', '/user/josé 王%25/proxy/absolute/', false],
])('a proxy that %s shows the page', async (_, path, removes) => {
  const proxyPort = await findOwnPort();
  const publicUrl = `http://hub.example.org:${proxyPort}${path}{port}`;
  const shown = await servePage({ files, api: createApi(), publicUrl, environment: {} });
  const target = Number(/\/(\d+)\/\?token=/.exec(shown.url)?.[1]);
  const prefix = new URL(`${path}${target}`, shown.url).pathname;
  const proxy = createServer((incoming, outgoing) => {
    const asked = removes ? (incoming.url ?? '').slice(prefix.length) : incoming.url;
    const { method, headers } = incoming;
    const forwarded = request({ port: target, path: asked, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  proxy.listen(proxyPort, '127.0.0.1');
  try {
    expect(shown.isProxied).toBe(true);
    const link = new URL(shown.url);
    expect(link.origin).toBe(`http://hub.example.org:${proxyPort}`);
    const headers = { host: link.host };
    const opened = await ask(`${link.pathname}${link.search}`, { headers, port: proxyPort });
    const address = new URL(opened.headers.location ?? '', link);
    expect(address.href).toBe(`${link.origin}${prefix}/`);
    // A browser sends a cookie without a path to everything beside the link.
    expect(opened.headers['set-cookie']).toEqual([
      `cupid-${proxyPort}=${link.searchParams.get('token')}; HttpOnly; SameSite=Lax`,
    ]);
    const sent = { ...headers, cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
    for (const [name, text] of Object.entries({ '': '<p>the page</p>', 'page.js': 'ok();' })) {
      const { pathname } = new URL(name, address);
      expect(await ask(pathname, { headers: sent, port: proxyPort })).toMatchObject({ status: 200, text });
    }
    const wrongAddress = new URL('no/such/page', address);
    expect(await findWayBack(wrongAddress, { headers: sent, port: proxyPort })).toBe(address.href);
    const { pathname } = new URL('api/word', address);
    const change = (origin: string) =>
      ask(pathname, { method: 'POST', headers: { ...sent, origin }, port: proxyPort });
    expect(await change(link.origin)).toMatchObject({ status: 200, text: '{"word":"changed"}' });
    expect(await change('http://hub.example.org')).toMatchObject({ status: 403 });
  } finally {
    await shown.close();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test.each(['nothing', 'nothing/', 'no/such/page'])(
  'the answer to %s leads to the first page, also below a path that a proxy removed without being named',
  async (name) => {
    const { text } = await ask(`/${name}`, { headers: { cookie } });
    const address = new URL('http://hub.example.org/user/ann/proxy/8123/');
    expect(new URL(readLink(text), new URL(name, address)).href).toBe(address.href);
  },
);

/** Asks for a page that does not exist, and returns the address of the first page that the answer names. */
async function findWayBack(address: URL, asked: Asked): Promise<string> {
  const { status, text } = await ask(address.pathname, asked);
  expect(status).toBe(404);
  return new URL(readLink(text), address).href;
}

function readLink(text: string): string {
  return /<a href="([^"]*)">Open the first page/.exec(text)?.[1] ?? '';
}

test('a proxy that nobody named is answered with what to do', async () => {
  const shown = await servePage({
    files,
    api: createApi(),
    environment: { JUPYTERHUB_SERVICE_PREFIX: '/user/ann/' },
  });
  const headers = { host: 'hub.example.org' };
  const { status, text } = await ask('/', { headers, port: Number(new URL(shown.url).port) });
  await shown.close();
  expect({ status, text }).toEqual({
    status: 403,
    text: expect.stringContaining("--public-url 'https://HOST/user/ann/proxy/{port}/'"),
  });
});

test('in WSL, the link names the host that Windows forwards', async () => {
  const shown = await servePage({ files, api: createApi(), environment: { WSL_DISTRO_NAME: 'Debian' } });
  await shown.close();
  expect(shown.url).toMatch(/^http:\/\/localhost:\d+\/\?token=/);
});

test('a request of more than a megabyte is rejected, also from the page itself', async () => {
  const origin = `http://127.0.0.1:${port}`;
  const send = (bytes: number, headers: Record<string, string> = {}) => {
    const upload = {
      method: 'POST',
      headers: { cookie, origin, ...headers },
      body: new ReadableStream({
        start(controller) {
          for (let sent = 0; sent < bytes; sent += 1_000) controller.enqueue(Buffer.alloc(1_000, 'a'));
          controller.close();
        },
      }),
      // Node.js requires it, and the types of browsers lack it.
      duplex: 'half',
    };
    return fetch(`${origin}/api/length`, upload);
  };
  expect(await (await send(1_000_000)).json()).toEqual({ length: 1_000_000 });
  expect((await send(1_001_000)).status).toBe(413);
});

test('a request with a long search and cookies of other programs is answered', async () => {
  const headers = { cookie: `other=${'a'.repeat(20_000)}; ${cookie}` };
  expect(await ask(`/api/word?q=${'%E7%8E%8B'.repeat(1_000)}`, { headers })).toMatchObject({ status: 200 });
});

const hasIpv6 = Object.values(networkInterfaces()).some((entries) =>
  entries?.some(({ address }) => address === '::1'),
);
const testWithIpv6 = hasIpv6 ? test : test.skip;

testWithIpv6('on the loopback of IPv6, it asks for the token, the host and the origin, too', async () => {
  const address = '::1';
  const origin = `http://[::1]:${port}`;
  expect(await ask('/', { address, headers: { cookie } })).toMatchObject({
    status: 200,
    text: '<p>the page</p>',
  });
  const change = { address, method: 'POST', headers: { cookie, origin } };
  expect(await ask('/api/word', change)).toMatchObject({ status: 200 });
  for (const headers of [{}, { cookie, host: 'evil.example' }, { cookie, origin: 'http://evil.example' }]) {
    expect(await ask('/api/word', { address, headers })).toMatchObject({ status: 403 });
  }
});

testWithIpv6('a page is served without IPv6 where another program uses its port there', async () => {
  const usualPort = await findOwnPort();
  const program = createServer((_, answer) => answer.end('another program'));
  await new Promise<void>((resolve) => program.listen(usualPort, '::1', resolve));
  {
    await using served = await serve({ usualPort });
    expect(served.port).toBe(`${usualPort}`);
    expect(await ask('/', { port: usualPort })).toMatchObject({ status: 403 });
    expect(await ask('/', { port: usualPort, address: '::1' })).toMatchObject({ text: 'another program' });
  }
  await new Promise((resolve) => program.close(resolve));
  // Both addresses are free once a page is closed.
  for (const _ of [1, 2]) {
    await using served = await serve({ usualPort });
    expect(served.port).toBe(`${usualPort}`);
    expect(await ask('/', { port: usualPort, address: '::1' })).toMatchObject({ status: 403 });
  }
});

test('it listens on the loopback only', async () => {
  const others = Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one === undefined || one.internal ? [] : one.address));
  for (const address of others) {
    await expect(ask('/', { address, headers: { cookie, host: `127.0.0.1:${port}` } })).rejects.toThrow();
  }
  await expect(ask('/', { address: '127.0.0.2' })).rejects.toThrow('ECONNREFUSED');
});

test('it serves its own files and nothing beside them', async () => {
  expect(await ask('/page.js', { headers: { cookie } })).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/javascript; charset=utf-8' },
  });
  for (const path of [
    '/notes.txt',
    '/../secret.js',
    '/%2e%2e/secret.js',
    '/..%2fsecret.js',
    '/page/page.js',
  ]) {
    expect(await ask(path, { headers: { cookie } })).toMatchObject({ status: 404 });
  }
});

test('every answer forbids inline scripts, frames and guessed types', async () => {
  for (const [path, headers] of [
    ['/', { cookie }],
    ['/', {}],
    ['/api/word', { cookie }],
    ['/api/fail', { cookie }],
    ['/nothing', { cookie }],
  ] as const) {
    expect((await ask(path, { headers })).headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  }
});

test('a failure is answered with its message', async () => {
  expect(await ask('/api/fail', { headers: { cookie } })).toMatchObject({
    status: 500,
    text: '{"error":"It failed."}',
  });
});

test('a port in use is named', async () => {
  const serving = servePage({ files, api: new Hono<PageEnvironment>(), port, environment: {} });
  await expect(serving).rejects.toThrow(PortError);
  await expect(serving).rejects.toThrow(`Port ${port} is in use by another program.`);
});

test('the usual port is used if it is free', async () => {
  const usualPort = await findOwnPort();
  const portsOfTwo: string[] = [];
  {
    await using first = await serve({ usualPort });
    await using second = await serve({ usualPort });
    portsOfTwo.push(first.port, second.port);
  }
  await using again = await serve({ usualPort });
  expect(portsOfTwo[0]).toBe(`${usualPort}`);
  expect(portsOfTwo[1]).not.toBe(`${usualPort}`);
  expect(again.port).toBe(`${usualPort}`);
});

async function serve(options: {
  readonly usualPort: number;
}): Promise<AsyncDisposable & { readonly port: string }> {
  const served = await servePage({ files, api: new Hono<PageEnvironment>(), environment: {}, ...options });
  return { port: new URL(served.url).port, [Symbol.asyncDispose]: () => served.close() };
}
