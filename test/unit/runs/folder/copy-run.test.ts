import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPlan, writePlan } from '../../../../data/run/inputs';
import { readStoreLocation, writeStoreLocation } from '../../../../data/store/open-store';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { listRunFiles, pullRun } from '../../../../runs/folder/copy-run';
import { openRunFolder, SYNTHESIS } from '../../../../runs/folder/run-folder';
import { lockRunFolder } from '../../../../runs/folder/run-lock';
import { planSmallRun } from '../../../planned-run';
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
  const plan = await planSmallRun();
  await writePlan(objects, plan);
  await objects.write('superseded/0000001/failures-1/0000001.json', '[]');
  await objects.write('records/0000001.json', 'new');

  const path = join(temporary, 'run');
  const own = createFolderStore(join(path, '.cupid'));
  await writePlan(own, plan);
  const stale = ['failures/0000001.json', 'journal/run%2Fp1/r0.factors.t1.a0.json'];
  const local = ['engine/temporal.db', 'worker.log'];
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

test.each<[string, (objects: Store) => Promise<void>]>([
  ['starts', (objects) => objects.write('locks/000001', '{}')],
  ['starts and ends', (objects) => objects.write('ledger/worker.jsonl', '')],
])(
  'a run that %s while it is copied makes the copy a read-only one, which may be pulled again',
  async (what, begin) => {
    const objects = createFolderStore(join(temporary, `objects-${what}`));
    await writePlan(objects, await planSmallRun());
    await objects.write('records/0000001.json', '{}');
    const path = join(temporary, `copy-${what}`);
    let begins = true;
    await using _server = await serveObjects(objects, new Set(), async (name) => {
      if (begins && name.startsWith('records/')) await begin(objects);
    });
    const pull = () => pullRun(LOCATION, path, () => undefined);
    expect(await pull()).toMatchObject({ inProgress: true });
    await expect(openRunFolder(SYNTHESIS, path)).rejects.toThrow(
      `copy it again: cupid pull ${LOCATION} ${path}`,
    );

    begins = false;
    await objects.remove(['locks/000001']);
    expect(await pull()).toMatchObject({ inProgress: false });
    await openRunFolder(SYNTHESIS, path);
    await expect(pull()).rejects.toThrow('contains a run already');
  },
);

test('a folder that uses the storage goes on doing so when its run starts elsewhere while it is copied', async () => {
  const objects = createFolderStore(join(temporary, 'objects-attached'));
  await writePlan(objects, await planSmallRun());
  await objects.write('records/0000001.json', '{}');
  const path = join(temporary, 'attached');
  await writeStoreLocation(path, LOCATION);
  await using _server = await serveObjects(objects, new Set(), async (name) => {
    if (name.startsWith('records/')) await objects.write('locks/000001', '{}');
  });
  await expect(pullRun(LOCATION, path, () => undefined)).rejects.toThrow('is in progress. Let it finish');
  expect(readStoreLocation(path)).toBe(LOCATION);
  await openRunFolder(SYNTHESIS, path);
});

test('a folder that a command uses is not pulled into, and a pull keeps others out', async () => {
  const objects = createFolderStore(join(temporary, 'objects-locked'));
  await writePlan(objects, await planSmallRun());
  const path = join(temporary, 'locked');
  let refusal: unknown;
  await using _server = await serveObjects(objects, new Set(), async (name) => {
    if (name === 'inputs/templates.json')
      refusal = await openRunFolder(SYNTHESIS, path).catch((error) => error);
  });
  const pull = () => pullRun(LOCATION, path, () => undefined);
  {
    await using _lock = await lockRunFolder(await openRunFolder(SYNTHESIS, path));
    await expect(pull()).rejects.toThrow('is in use by process');
  }
  await pull();
  expect(String(refusal)).toContain('is in use by process');
});

test('a pull that finds no run, or a folder with another one, leaves nothing behind', async () => {
  const objects = createFolderStore(join(temporary, 'objects-none'));
  await using _server = await serveObjects(objects);
  const path = join(temporary, 'none', 'deep');
  await expect(pullRun(LOCATION, path, () => undefined)).rejects.toThrow('There is no run at');
  expect(existsSync(join(temporary, 'none'))).toBe(false);
  await writePlan(objects, await planSmallRun());
  const other = join(temporary, 'other');
  await writePlan(createFolderStore(join(other, '.cupid')), await planSmallRun());
  await expect(pullRun(LOCATION, other, () => undefined)).rejects.toThrow('contains a run already');
  expect(readdirSync(join(other, '.cupid'))).toEqual(['inputs', 'lock']);
});
