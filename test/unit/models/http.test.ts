import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { NOBODY } from '../../stand-in/nobody';
import { findWireFailure } from '../../../models/call';
import { classifyFailure } from '../../../models/errors/failure';
import { describeNetworkError, fetchProvider } from '../../../models/http';
import { ProviderServer } from './providers/provider-server';

const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

const dispatcher: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);

afterEach(() => {
  Reflect.set(globalThis, GLOBAL_DISPATCHER, dispatcher);
});

test('an answer may take longer than the five minutes after which fetch gives up by itself', async () => {
  const asked: object[] = [];
  Reflect.set(globalThis, GLOBAL_DISPATCHER, {
    dispatch(options: object, handler: { onError(error: Error): void }) {
      asked.push(options);
      handler.onError(new Error('recorded'));
      return true;
    },
  });

  await expect(fetchProvider('http://localhost/v1')).rejects.toMatchObject({ name: 'WireFailure' });
  expect(asked).toEqual([expect.objectContaining({ headersTimeout: 0, bodyTimeout: 0 })]);
});

test.each([
  `http://me:hunter2@${NOBODY}/v1`,
  `http://${NOBODY}/v1?key=hunter2`,
  `socks5://me:hunter2@${NOBODY}/v1#hunter2`,
])('no failure repeats the secrets of %s', async (url) => {
  const caller = { spec: 'openai:gpt-4o', keyHint: 'OPENAI_API_KEY', secrets: [] };
  const failures = [
    await fetchProvider(url).catch((error: unknown) => findWireFailure(error)),
    describeNetworkError(new TypeError('fetch failed', { cause: new Error(`cannot reach ${url}, refused`) })),
  ];
  for (const failure of failures) {
    if (failure === undefined || failure instanceof Response) throw new Error('Expected a failure.');
    expect(classifyFailure(caller, failure).message).not.toContain('hunter2');
  }
});

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const CHUNKED = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const CALLER = { spec: 'openai:gpt-4o', keyHint: 'OPENAI_API_KEY', secrets: [] };

test.each([
  ['100 Continue before it', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, 'invalid-response'],
  [
    '101 before it',
    `HTTP/1.1 101 Ok\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n${OK}`,
    'invalid-response',
  ],
  ['103 Early Hints before it', `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`, undefined],
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'invalid-response'],
  ['a length that is none', OK.replace('length: 2', 'length: x'), 'invalid-response'],
  ['nothing', '', 'connection'],
  ['half of its headers', OK.slice(0, 40), 'connection'],
  ['half of a chunked body', `${CHUNKED}8\r\n{"a"`, 'connection'],
  ['a chunked body without its end', `${CHUNKED}2\r\n{}\r\n`, 'connection'],
])('a response with %s', async (_, sent, kind) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(sent));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
  try {
    const failure = await fetchProvider(url, { method: 'POST', body: '{}' }).then(
      () => undefined,
      (error: unknown) => findWireFailure(error),
    );
    expect(failure && classifyFailure(CALLER, failure).kind).toBe(kind);
  } finally {
    server.close();
  }
});

/** Errors of Node.js, of its undici, and of AWS's client, as they reach us. */
test.each<[code: string | undefined, message: string, kind: string, usage: object | undefined]>([
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9', 'connection', undefined],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND api.example', 'connection', undefined],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN api.example', 'connection', undefined],
  ['ENETUNREACH', 'connect ENETUNREACH 192.0.2.1:443', 'connection', undefined],
  ['ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443', 'connection', undefined],
  ['UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error', 'connection', undefined],
  [undefined, 'the request socket did not establish a connection with the server', 'connection', undefined],
  ['CERT_NOT_YET_VALID', 'certificate is not yet valid', 'connection', undefined],
  [
    'ECONNRESET',
    'Client network socket disconnected before secure TLS connection was established',
    'connection',
    undefined,
  ],
  ['UND_ERR_ABORTED', 'Proxy response (502) !== 200 when HTTP Tunneling', 'connection', undefined],
  ['ECONNRESET', 'read ECONNRESET', 'connection', {}],
  ['ECONNRESET', 'socket hang up', 'connection', {}],
  ['EPIPE', 'write EPIPE', 'connection', {}],
  ['UND_ERR_SOCKET', 'other side closed', 'connection', {}],
  ['ETIMEDOUT', 'read ETIMEDOUT', 'timeout', undefined],
])('a connection that failed with %s (%s) is %s, with the usage %j', (code, message, kind, usage) => {
  const name = code === undefined ? 'TimeoutError' : 'Error';
  const cause = Object.assign(new Error(message), { name, ...(code === undefined ? {} : { code }) });
  const error = classifyFailure(CALLER, describeNetworkError(new TypeError('fetch failed', { cause })));
  expect([error.kind, error.usage]).toEqual([kind, usage]);
});

describe('a response', () => {
  const server = ProviderServer.inEachTest();
  const TEXT = '{"answer":"é"}';

  const reply = (encoding: string | undefined, bytes: Buffer) => {
    server.reply = (response) => {
      const encoded = encoding === undefined ? {} : { 'content-encoding': encoding };
      response.writeHead(200, { 'content-type': 'application/json', ...encoded });
      response.end(bytes);
    };
  };
  const ask = () => fetchProvider(server.url, { method: 'POST', body: '{}' });

  test.each([
    ['as it is', undefined, Buffer.from(TEXT)],
    ['compressed with gzip', 'gzip', gzipSync(TEXT)],
    ['compressed with deflate', 'deflate', deflateSync(TEXT)],
    ['compressed with Brotli', 'br', brotliCompressSync(TEXT)],
  ])('is read %s', async (_, encoding, bytes) => {
    reply(encoding, bytes);
    expect(await (await ask()).text()).toBe(TEXT);
  });

  test('that cannot be decompressed is a failure', async () => {
    reply('gzip', Buffer.from(TEXT));
    await expect(ask()).rejects.toMatchObject({ name: 'WireFailure' });
  });

  test('is read without `fetch`, whose streams cost more than all the rest of a request', async () => {
    const fetched = jest.spyOn(globalThis, 'fetch');
    reply(undefined, Buffer.from(TEXT));
    await ask();
    expect(fetched).not.toHaveBeenCalled();
  });
});
