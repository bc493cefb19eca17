import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { chooseWorkerProxy } from '../../../../workers/server/proxy';
import { registerVersion } from '../../../../workers/worker';

test.each<[string, object]>([
  ['http://proxy:3128', { targetHost: 'proxy:3128' }],
  ['http://proxy', { targetHost: 'proxy:80' }],
  ['http://[::1]:3128', { targetHost: '[::1]:3128' }],
  [
    'http://me:a%40b@proxy:3128',
    { targetHost: 'proxy:3128', basicAuth: { username: 'me', password: 'a@b' } },
  ],
])('workers use the proxy %s', (url, expected) => {
  const chosen = chooseWorkerProxy('cluster.example', { https_proxy: url });
  expect(chosen).toEqual({ proxy: { type: 'http-connect', ...expected } });
});

test('workers use no proxy for an exception', () => {
  const environment = { https_proxy: 'http://proxy:3128', no_proxy: '.example' };
  expect(chooseWorkerProxy('cluster.example', environment)).toEqual({});
});

test('the connection of a worker asks the proxy for the cluster', async () => {
  const targets: (string | undefined)[] = [];
  const server: Server = createServer().on('connect', (request, socket) => {
    targets.push(request.url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  jest.replaceProperty(process, 'env', { ...process.env, grpc_proxy: `http://127.0.0.1:${port}` });
  const engine = {
    id: 'cluster',
    name: 'cluster',
    namespace: 'default',
    connection: { address: 'temporal.invalid:7233' },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  try {
    await expect(registerVersion({ engine, bundle: { path: '', version: '1' } })).rejects.toThrow();
    expect(targets).toContain('temporal.invalid:7233');
  } finally {
    jest.restoreAllMocks();
    server.close();
  }
});
