import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { readPlan, writePlan } from '../../../../data/run/inputs';
import { readStoreLocation, writeStoreLocation } from '../../../../data/store/open-store';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { listRunFiles, pullRun } from '../../../../runs/folder/copy-run';
import { planRun, readRunRequest } from '../../../../runs/plan/inputs';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { createTemporaryFolder } from '../../../temporary-folder';

const temporary = createTemporaryFolder();
const store = createFolderStore(join(temporary, 'store'));

afterEach(() => jest.restoreAllMocks());

test("a run's files are copied with its plan last, and without what belongs to one machine", async () => {
  const own = ['inputs/run.json', 'inputs/templates.json', 'records/0000001.json'];
  for (const name of [...own, 'engine/temporal.db', 'lock', 'locks/000001', 'store.json']) {
    await store.write(name, '{}');
  }
  const names = await listRunFiles(store);
  expect(names.at(-1)).toBe('inputs/run.json');
  expect(names.toSorted()).toEqual(own);
});

test('the files of runs that are stored below a run do not belong to it', async () => {
  const above = createFolderStore(join(temporary, 'above'));
  const own = ['inputs/evaluation.json', 'inputs/run.json', 'records/0000001.json', 'run.json'];
  const synthesis = ['a/inputs/run.json', 'a/records/0000001.json', 'a/locks/000001'];
  const evaluation = ['deep/b/inputs/evaluation.json', 'deep/b/journal/x.json'];
  const started = ['c/run.json', 'c/ledger/x'];
  for (const name of [...own, ...synthesis, ...evaluation, ...started]) await above.write(name, '{}');
  expect((await listRunFiles(above)).toSorted()).toEqual(own);
});

test.each(['../../outside', 'records/../../../outside', '/outside', 'records//x'])(
  'an object of the name %s is refused, since it would be written outside the folder',
  async (hostile) => {
    const all = async function* () {
      yield 'inputs/run.json';
      yield hostile;
    };
    await expect(listRunFiles({ ...store, all })).rejects.toThrow(`belongs to no run: ${hostile}`);
  },
);

test('a folder that was pushed keeps no older file when its run is pulled back, even if a pull breaks off', async () => {
  const objects = createFolderStore(join(temporary, 'objects'));
  const models = { synthesis: MODEL, user: MODEL, assistant: MODEL };
  const plan = await planRun(
    await readRunRequest(synthesisSettingsSchema.parse({ nPersonas: 1, models }), {}),
  );
  await writePlan(objects, plan);
  await objects.write('superseded/0000001/failures-1/0000001.json', '[]');
  await objects.write('records/0000001.json', 'new');

  const path = join(temporary, 'run');
  const own = createFolderStore(join(path, '.cupid'));
  await writePlan(own, plan);
  const stale = ['failures/0000001.json', 'journal/run%2Fp1/g0.factors.t1.a0.json'];
  const local = ['engine/temporal.db', 'worker.log', 'scratch/x'];
  for (const name of [...stale, ...local, 'records/0000001.json']) await own.write(name, 'old');
  await writeStoreLocation(path, LOCATION);

  const broken = new Set(['records/0000001.json']);
  await using _server = await serve(objects, broken);
  const pull = () => pullRun(LOCATION, path, () => undefined);
  await expect(pull()).rejects.toThrow('records/0000001.json cannot be accessed');
  expect(await listRunFiles(own)).toEqual(expect.arrayContaining(stale));
  broken.clear();
  await pull();

  expect(readStoreLocation(path)).toBeUndefined();
  expect((await listRunFiles(own)).toSorted()).toEqual((await listRunFiles(objects)).toSorted());
  expect(await own.read('records/0000001.json')).toBe('new');
  expect(await readPlan(own)).toEqual(plan);
  for (const name of local) expect(await own.read(name)).toBe('old');
});

const MODEL = 'simulated:default';
const LOCATION = 's3://bucket/run';

/** Serves a store's texts as the objects of a run on storage; those that are broken cannot be read. */
async function serve(objects: Store, broken: ReadonlySet<string>): Promise<AsyncDisposable> {
  const answer = async (url: string): Promise<readonly [status: number, body: string]> => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const prefix = searchParams.get('prefix');
    if (prefix !== null) return [200, await renderList(objects, prefix)];
    const name = pathname.replace('/bucket/run/', '');
    if (broken.has(name)) return [403, '<Error><Code>AccessDenied</Code></Error>'];
    const text = await objects.read(name);
    return text === undefined ? [404, '<Error><Code>NoSuchKey</Code></Error>'] : [200, text];
  };
  const server = createServer((request, response) => {
    void answer(request.url ?? '').then(([status, body]) => response.writeHead(status).end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  jest.replaceProperty(process, 'env', {
    ...process.env,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  });
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function renderList(objects: Store, prefix: string): Promise<string> {
  const contents: string[] = [];
  for await (const name of objects.all('')) {
    if (`run/${name}`.startsWith(prefix)) contents.push(`<Contents><Key>run/${name}</Key></Contents>`);
  }
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`;
}
