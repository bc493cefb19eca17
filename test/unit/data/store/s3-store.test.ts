import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { createS3Store } from '../../../../data/store/s3-store';

/** Answers to GET requests, by the object's name or `list`; what is not there gets a gateway's 404. */
let answers: Record<string, { readonly status: number; readonly body: string }>;
let requested: string[];
let server: Server;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const name = searchParams.has('list-type') ? 'list' : pathname.replace('/bucket/', '');
    requested.push(name);
    const { status, body } = answers[name] ?? { status: 404, body: '<html>no backend</html>' };
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  answers = {};
  requested = [];
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const settings = {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  jest.replaceProperty(process, 'env', { ...process.env, ...settings });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const openStore = () => createS3Store({ bucket: 'bucket', prefix: '' });

test('only the word of the storage itself says that there is no such object', async () => {
  answers['gone.json'] = renderError(404, 'NoSuchKey');
  expect(await openStore().read('gone.json')).toBeUndefined();
  await expect(openStore().read('behind-a-gateway.json')).rejects.toThrow(
    'behind-a-gateway.json cannot be accessed',
  );
  answers['no-bucket.json'] = renderError(404, 'NoSuchBucket');
  await expect(openStore().read('no-bucket.json')).rejects.toThrow(
    'Create the bucket bucket, or correct its name.',
  );
});

test('a segment of a text is asked for when the one before it has been read', async () => {
  const [first, second] = ['ledger/w.jsonl.000001', 'ledger/w.jsonl.000002'];
  answers = {
    'ledger/w.jsonl': renderError(404, 'NoSuchKey'),
    list: { status: 200, body: renderList([first, second]) },
    [first]: renderError(403, 'AccessDenied'),
    [second]: renderError(403, 'AccessDenied'),
  };
  const blocks = openStore().blocks('ledger/w.jsonl')[Symbol.asyncIterator]();
  await expect(blocks.next()).rejects.toThrow(`${first} cannot be accessed`);
  expect(requested).toEqual(['ledger/w.jsonl', 'list', first]);
});

function renderError(status: number, code: string): { readonly status: number; readonly body: string } {
  return { status, body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>` };
}

function renderList(keys: readonly string[]): string {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`);
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`;
}
