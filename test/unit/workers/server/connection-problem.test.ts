import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describeProxy, explainFailure } from '../../../../workers/server/connection-problem';

const NAMESPACE = 'cupid.a1b2c';
const CERTIFICATE = {
  clientCertPair: { crt: Buffer.from('certificate'), key: Buffer.from('key') },
};

/** Creates the client's error for the cluster's answer. */
function createRejection(code: number, details: string): Error {
  const cause = Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
  return new Error('Failed to connect to Temporal server', { cause });
}

test.each([
  ['the namespace', 5, {}, 'Check TEMPORAL_NAMESPACE'],
  ['the API key', 16, { apiKey: 'wrong' }, 'Check that TEMPORAL_API_KEY is complete, has not expired'],
  ['the API key', 7, { apiKey: 'wrong' }, 'may write to namespace cupid.a1b2c'],
  ['the client certificate', 7, { tls: CERTIFICATE }, 'Check that the client certificate has not expired'],
  ['a login that is missing', 7, { tls: true }, 'It needs a login: set TEMPORAL_API_KEY, or'],
])('%s is what to check when the cluster rejects it (%d)', async (_, code, service, remedy) => {
  const said = await explainFailure(createRejection(code, 'No access.'), service, 'host:7233', NAMESPACE);
  expect(said).toMatch(/^No access\. /);
  expect(said).toContain(remedy);
});

describe('where no connection can be made', () => {
  let server: Server;
  let address: string;
  beforeEach(async () => {
    // It answers in plain text, without TLS.
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.0 400 Bad Request\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = server.address();
    address = `127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
  });
  afterEach(() => server.close());
  const explain = (service: Parameters<typeof explainFailure>[1]) =>
    explainFailure(new Error('Failed to connect before the deadline'), service, address, NAMESPACE);

  test('nothing listens at the address', async () => {
    server.close();
    await once(server, 'close');
    expect(await explain({})).toContain('No connection can be made (ECONNREFUSED). Check TEMPORAL_ADDRESS');
  });

  test('the cluster does not use TLS, and the API key needs it', async () => {
    expect(await explain({ apiKey: 'key' })).toContain('It does not use TLS');
  });

  test('the cluster may use TLS, and nothing was set for it', async () => {
    expect(await explain({})).toContain('If the cluster uses TLS, set TEMPORAL_TLS=true');
  });
});

test.each<[string, Record<string, string>, string, string | undefined]>([
  ['cluster.example', {}, 'none', undefined],
  ['cluster.example', { https_proxy: 'http://proxy:3128' }, 'https_proxy', 'https_proxy'],
  ['cluster.example', { http_proxy: 'http://proxy:3128' }, 'http_proxy', 'http_proxy'],
  [
    'cluster.example',
    { https_proxy: 'http://a:1', grpc_proxy: 'http://b:1' },
    'grpc_proxy first',
    'grpc_proxy',
  ],
  [
    'cluster.example',
    { https_proxy: 'http://a:1', no_proxy: 'localhost,.example' },
    'an exception',
    undefined,
  ],
  [
    'cluster.example',
    { https_proxy: 'http://a:1', NO_PROXY: '.example' },
    'capitals, not read',
    'https_proxy',
  ],
  ['127.0.0.1', { https_proxy: 'http://a:1' }, 'this machine', undefined],
  ['10.1.2.3', { https_proxy: 'http://a:1', no_proxy: '10.0.0.0/8' }, 'a subnet', undefined],
  ['11.1.2.3', { https_proxy: 'http://a:1', no_proxy: '10.0.0.0/8' }, 'another subnet', 'https_proxy'],
  ['cluster.example', { https_proxy: 'https://a:1' }, 'a protocol that gRPC ignores', undefined],
])('a proxy before %s, by %j (%s)', (host, environment, _, variable) => {
  const described = describeProxy(host, environment);
  if (variable === undefined) expect(described).toBeUndefined();
  else
    expect(described).toContain(
      `Because of the variable ${variable}, the cluster is reached through a proxy`,
    );
});
