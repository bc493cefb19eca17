import { createServer, type Server } from 'node:http';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DataError } from '../../../../data/store/data-error';
import { HubError } from '../../../../data/hub/hub-error';
import { openData } from '../../../../data/sets/open';
import { createEmptiedFolder } from '../../../temporary-folder';

const COMMIT = 'a'.repeat(40);
const HASH = 'b'.repeat(40);

const folder = createEmptiedFolder();
let server: Server;
let answers: { readonly info: unknown; readonly tree: unknown; readonly file?: string };

beforeEach(async () => {
  server = createServer(({ url = '' }, response) => {
    const { info, tree, file = '' } = answers;
    if (url.includes('/resolve/')) {
      response.writeHead(200, { etag: `"${HASH}"`, 'content-range': `bytes 0-0/${file.length}` }).end(file);
      return;
    }
    const answer = url.includes('/tree/') ? tree : info;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function refusal(): Promise<string> {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const error: unknown = await openData('kim/cupid', {
    report: () => undefined,
    environment: { HF_ENDPOINT: `http://127.0.0.1:${address.port}`, HF_HOME: join(folder, 'home') },
  }).catch((thrown: unknown) => thrown);
  if (error instanceof DataError || error instanceof HubError) return error.message;
  throw new Error(`Expected a DataError or a HubError: ${String(error)}`);
}

const INFO = {
  id: 'kim/cupid',
  sha: COMMIT,
  private: false,
  downloads: 0,
  likes: 0,
  lastModified: '2026-01-01',
};

test.each(['../../../../evil', COMMIT.slice(1), COMMIT.toUpperCase(), 7, null])(
  'a commit that is not 40 hexadecimal digits is rejected: %j',
  async (sha) => {
    answers = { info: { ...INFO, sha }, tree: [] };
    expect(await refusal()).toMatch(/^The Hub names .+ as the commit of kim\/cupid, but a commit is 40 hex/);
    expect(await readdir(folder)).toEqual([]);
  },
);

test.each(['../evil.parquet', '/evil.parquet', 'a/../../evil.parquet', 'a\\..\\evil.parquet', 'e\0.parquet'])(
  'a path that could lead out of the cache is not used: %j',
  async (path) => {
    answers = { info: INFO, tree: [{ type: 'file', path, size: 4, oid: HASH }], file: 'evil' };
    expect(await refusal()).toMatch(/^kim\/cupid of the Hub contains no data set/);
    const made = await readdir(folder, { recursive: true });
    expect(made.filter((name) => name.includes('evil'))).toEqual([]);
  },
);

test('a file that is longer than the Hub said is not downloaded to its end', async () => {
  answers = {
    info: INFO,
    tree: [{ type: 'file', path: 'test.parquet', size: 4, oid: HASH }],
    file: 'evil!!',
  };
  expect(await refusal()).toMatch(/^test\.parquet was not downloaded as the Hub lists it \(6 of 4 bytes/);
});

test.each<[string, unknown, unknown]>([
  ['no JSON', '<html>', []],
  ['an entry without a path', INFO, [{ type: 'file', size: 4, oid: HASH }]],
  ['a hash that is a path', INFO, [{ type: 'file', path: 'test.parquet', size: 4, oid: '../../evil' }]],
  ['a list that is none', INFO, '{"a": 1}'],
])('an answer in another form is named as such: %s', async (_what, info, tree) => {
  answers = { info, tree };
  expect(await refusal()).toMatch(/^The Hub's (?:answer about kim\/cupid|list of files) cannot be read/);
});
