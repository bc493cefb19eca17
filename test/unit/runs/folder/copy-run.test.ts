import { join } from 'node:path';
import { readPlan, writePlan } from '../../../../data/run/inputs';
import { readStoreLocation, writeStoreLocation } from '../../../../data/store/open-store';
import { createFolderStore } from '../../../../data/store/store';
import { listRunFiles, pullRun } from '../../../../runs/folder/copy-run';
import { planRun, readRunRequest } from '../../../../runs/plan/inputs';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { LOCATION, serveObjects } from '../../../stand-in/stored-run';
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
  await using _server = await serveObjects(objects, broken);
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
