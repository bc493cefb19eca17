import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createS3Store } from '../../../../data/store/s3-store';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

/** Answers by the object's name or `list`; all others get a gateway's 404. */
let answers: Record<string, Answer>;
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly checksum?: string;
}
/** Number of times that an object arrives damaged first. */
let damaged: number;
/** Number of times that its answer then breaks off. */
let broken: number;
/** Number of times that an object in conflict cannot be created first. */
let conflicts: number;
/** The access key that is no longer accepted. */
let expired: string;
let requested: string[];
let sentBytes: number[];
let server: Server;
let port: number | undefined;

beforeAll(async () => {
  server = createServer(({ url = '', method, headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const name = searchParams.has('list-type') ? 'list' : pathname.replace('/bucket/', '');
    requested.push(name);
    if (method === 'PUT') sentBytes.push(Number(headers['content-length']));
    const isInConflict = method === 'PUT' && conflicts > 0;
    if (isInConflict) conflicts -= 1;
    let answer = answers[name] ?? { status: 404, body: '<html>no backend</html>' };
    if (isInConflict) answer = renderError(409, 'ConditionalRequestConflict');
    if (headers.authorization?.includes(`Credential=${expired}/`)) answer = renderError(400, 'ExpiredToken');
    const { status, body, checksum } = answer;
    response.setHeader('content-type', 'application/xml');
    if (checksum !== undefined) response.setHeader('x-amz-checksum-crc32', checksum);
    if (checksum !== undefined && damaged > 0) {
      damaged -= 1;
      response.writeHead(status).end(body.replace('sound', 'spund'));
    } else if (checksum !== undefined && broken > 0) {
      broken -= 1;
      response
        .writeHead(status, { 'content-length': body.length })
        .write(body.slice(0, 3), () => response.destroy());
    } else response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  answers = {};
  requested = [];
  damaged = 0;
  broken = 0;
  conflicts = 0;
  expired = 'old';
  sentBytes = [];
  const address = server.address();
  port = typeof address === 'object' ? address?.port : undefined;
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

const openStore = () => createS3Store({ bucket: 'bucket', prefix: '' }, 1);

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

/** Read as a whole, as one object in blocks, as a segment of a text, and into a file. */
const READS: readonly (readonly [string, () => Promise<string | undefined>])[] = [
  ['read', () => openStore().read('text.000001')],
  ['blocks of an object', () => readBlocks('text.000001')],
  ['blocks of segments', () => readBlocks('text')],
  [
    'fetch',
    async () => {
      const file = join(folder, 'fetched');
      await openStore().fetch('text', file);
      return readFile(file, 'utf8');
    },
  ],
];

async function readBlocks(name: string): Promise<string> {
  let text = '';
  for await (const block of openStore().blocks(name)) text += block;
  return text;
}

describe.each(READS)('%s', (_, read) => {
  beforeEach(() => {
    const body = 'a sound text';
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(body));
    answers = {
      text: renderError(404, 'NoSuchKey'),
      list: { status: 200, body: renderList(['text.000001']) },
      'text.000001': { status: 200, body, checksum: checksum.toString('base64') },
    };
  });

  test.each([
    [4, 0],
    [0, 4],
    [2, 2],
  ])('is repeated for an object that arrives damaged %d times and incomplete %d times', async (...times) => {
    [damaged, broken] = times;
    expect(await read()).toBe('a sound text');
    expect(requested.filter((name) => name === 'text.000001')).toHaveLength(5);
  });

  test('fails for an object that always arrives damaged, and says where the damage may be', async () => {
    damaged = Number.POSITIVE_INFINITY;
    await expect(read()).rejects.toThrow('was damaged on the way or in the storage');
    expect(requested.filter((name) => name === 'text.000001')).toHaveLength(5);
  });
});

describe('an object that is to be created once', () => {
  test('is tried again while another writer is at work', async () => {
    conflicts = 4;
    answers['once.json'] = { status: 200, body: '' };
    expect(await openStore().create('once.json', '{}')).toBe(true);
    expect(requested).toHaveLength(5);
  });

  test('fails after some tries', async () => {
    conflicts = Number.POSITIVE_INFINITY;
    await expect(openStore().create('once.json', '{}')).rejects.toThrow('Try again in a moment.');
    expect(requested).toHaveLength(5);
  });

  test('fails at once for a conflict that lasts', async () => {
    answers['once.json'] = renderError(409, 'ObjectParentIsFile');
    await expect(openStore().create('once.json', '{}')).rejects.toThrow('Another object is in the way.');
    expect(requested).toHaveLength(1);
  });
});

describe('with a profile', () => {
  const credentials = join(folder, 'credentials');
  const writeKey = (key: string) =>
    writeFile(
      credentials,
      `[default]\naws_access_key_id=${key}\naws_secret_access_key=s\naws_session_token=t\n`,
    );

  beforeEach(async () => {
    answers['sound.json'] = { status: 200, body: 'sound' };
    const config = join(folder, 'config');
    await writeFile(config, `[default]\nregion=us-east-1\nendpoint_url=http://localhost:${port}\n`);
    const { PATH } = process.env;
    const settings = { PATH, AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: credentials };
    jest.replaceProperty(process, 'env', settings);
  });

  test('its endpoint is asked for the bucket in the path', async () => {
    await writeKey('key');
    expect(await openStore().read('sound.json')).toBe('sound');
    expect(requested).toEqual(['sound.json']);
  });

  test('credentials that expired are used again once they are renewed', async () => {
    await writeKey('old');
    const store = openStore();
    await expect(store.read('sound.json')).rejects.toThrow("Renew the credentials in AWS's files");
    await writeKey('new');
    expect(await store.read('sound.json')).toBe('sound');
  });

  test('credentials that were renewed before they expired fail no request', async () => {
    await writeKey('key');
    const store = openStore();
    await store.read('sound.json');
    expired = 'key';
    await writeKey('new');
    const file = join(folder, 'put');
    await writeFile(file, 'sound');
    await store.put('sound.json', file);
    expect(sentBytes).toEqual([5, 5]);
  });

  test('credentials that are missing are found once they are there', async () => {
    await writeFile(credentials, '');
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    const store = openStore();
    await expect(store.read('sound.json')).rejects.toThrow('CredentialsProviderError');
    await writeKey('new');
    expect(await store.read('sound.json')).toBe('sound');
  });
});

test('expired credentials in environment variables need a restart', async () => {
  process.env['AWS_ACCESS_KEY_ID'] = 'old';
  await expect(openStore().read('sound.json')).rejects.toThrow('which a running process cannot renew');
});

function renderError(status: number, code: string): Answer {
  return { status, body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>` };
}

function renderList(keys: readonly string[]): string {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`);
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`;
}
