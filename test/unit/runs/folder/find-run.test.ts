import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRun, isAsFound, type Engines } from '../../../../runs/folder/find-run';
import { openRunFolder, RunNotFound, SYNTHESIS } from '../../../../runs/folder/run-folder';
import { lockRunFolder } from '../../../../runs/folder/run-lock';
import { readStatus } from '../../../../runs/status/read-status';
import { cancelRun, steerRun } from '../../../../runs/steer/steer';
import { RunFolderError } from '../../../../runs/folder/run-folder-error';
import { writePlan } from '../../../../data/run/inputs';
import { createFolderStore } from '../../../../data/store/store';
import { planSmallRun } from '../../../planned-run';
import { FOLDER_FORMAT } from '../../../../schemas/run/folder-format';
import { NFS, useFileSystem } from '../../../file-system';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

afterEach(() => jest.restoreAllMocks());

/** No engine runs, and no cluster is chosen. */
const NONE: Engines = { embedded: async () => undefined };

const ignoreReport = () => undefined;

describe('a run named by its folder', () => {
  test('is found with its models, without a run.json too, and without an engine while that is stopped', async () => {
    const run = await begun('plain');
    expect(await findRun(run, NONE)).toMatchObject({
      kind: 'synthesis',
      name: run,
      models: ['simulated:default'],
    });
    expect(await findRun(run, NONE)).not.toHaveProperty('service');
    expect(await findRun(run, NONE)).not.toHaveProperty('outOfReach');
  });

  test('has the engine of its own folder where that runs, whatever cluster is chosen', async () => {
    const run = await begun('embedded');
    const engines: Engines = {
      embedded: async (engine) => (engine.startsWith(run) ? '127.0.0.1:4711' : undefined),
      cluster: () => Promise.reject(new Error('was not to be asked')),
    };
    expect(await findRun(run, engines)).toMatchObject({
      service: { connection: { address: '127.0.0.1:4711' }, namespace: 'default' },
    });
  });

  test('is out of reach while its embedded engine runs on another machine, which is named', async () => {
    const run = await begun('elsewhere');
    const holder = { host: 'another-machine', pid: 7, since: '2026-01-01T00:00:00.000Z' };
    writeFileSync(join(run, '.cupid', 'lock'), JSON.stringify(holder));
    useFileSystem(NFS);
    const found = await findRun(run, NONE);
    expect(found.outOfReach).toContain('runs on another-machine, started by process 7');
    const lock = join(run, '.cupid', 'lock');
    const ledger = join(run, '.cupid', 'ledger', 'worker.jsonl');
    mkdirSync(join(ledger, '..'), { recursive: true });
    writeFileSync(ledger, '');
    utimesSync(lock, 0, 0);
    utimesSync(ledger, 60, 60);
    expect(await isAsFound(found, NONE)).toBe(false);
    expect((await findRun(run, NONE)).outOfReach).toContain(
      `Its last write to the folder was at 1970-01-01T00:01:00.000Z. If that machine no longer exists, delete ${lock}.`,
    );
    expect(found.held?.holder).toEqual(holder);
  });

  test('is stopped while a server shows its workflows, and every other command says how to stop that', async () => {
    const path = await begun('with-server');
    await using _lock = await lockRunFolder(await openRunFolder(SYNTHESIS, path), undefined, 'server');
    const find = () => findRun(path, NONE);
    expect(await readStatus(await find())).toMatchObject({
      state: 'stopped',
      driver: { pid: process.pid, command: 'server' },
    });
    const remedy = `It is a cupid server, which shows the workflows of the run. Stop it: kill ${process.pid}.`;
    await expect(steerRun(find, async () => ({ paused: true }), ignoreReport)).rejects.toThrow(remedy);
    await expect(cancelRun(find, ignoreReport)).rejects.toThrow(remedy);
    const refusal: unknown = await openRunFolder(SYNTHESIS, path).catch((error: unknown) => error);
    expect(String(refusal)).toContain(remedy);
    expect(String(refusal)).not.toContain('delete');
  });

  test('is not looked for on another cluster than its own', async () => {
    const run = await begun('on-cluster', 'temporal.example:7233 house');
    const own = await findRun(run, { ...NONE, cluster: clusterOf('temporal.example:7233 house') });
    expect(own.service).toMatchObject({ namespace: 'house' });
    for (const engines of [NONE, { ...NONE, cluster: clusterOf('other:7233 house') }]) {
      const found = await findRun(run, engines);
      expect(found.service).toBeUndefined();
      expect(found.outOfReach).toContain(
        'It is on the Temporal cluster temporal.example:7233, namespace house',
      );
      expect(found.outOfReach).toContain('TEMPORAL_ADDRESS');
    }
  });

  test('is looked at again without its plan, which is large: its run.json and its engine show every change', async () => {
    const id = 'temporal.example:7233 house';
    const run = await begun('watched', id);
    const engines = { ...NONE, cluster: clusterOf(id) };
    const found = await findRun(run, engines);
    writeFileSync(join(run, '.cupid', 'inputs', 'templates.json'), '[');
    expect(await isAsFound(found, engines)).toBe(true);
    // Another process continues it on the embedded engine.
    expect(await isAsFound(found, { ...engines, embedded: async () => '127.0.0.1:4711' })).toBe(false);
    const file = join(run, 'run.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"running"', '"finished"'));
    expect(await isAsFound(found, engines)).toBe(false);
  });

  test('is named as damaged when it cannot be read', async () => {
    const run = await begun('damaged');
    writeFileSync(join(run, '.cupid', 'inputs', 'templates.json'), '[');
    await expect(findRun(run, NONE)).rejects.toThrow(RunFolderError);
    await expect(findRun(run, NONE)).rejects.toThrow('inputs/templates.json');
  });
});

test('what is neither a folder nor an id gets an error that shows what both look like', async () => {
  await expect(findRun(join(folder, 'nowhere'), NONE)).rejects.toThrow(RunNotFound);
  await expect(findRun(join(folder, 'nowhere'), NONE)).rejects.toThrow('cupid-1a2b3c4d');
});

/** Creates a folder with a started run, and with a run.json if an engine is given. */
async function begun(name: string, engine?: string): Promise<string> {
  const path = join(folder, name);
  const plan = await planSmallRun();
  await writePlan(createFolderStore(join(path, '.cupid')), plan);
  mkdirSync(path, { recursive: true });
  if (engine !== undefined) {
    const host = { codeVersion: '0', engine, state: 'running', simulated: true };
    const run = { format: FOLDER_FORMAT, kind: 'synthesis', ...plan.inputs, ...host };
    writeFileSync(join(path, 'run.json'), JSON.stringify(run));
  }
  return path;
}

function clusterOf(id: string): NonNullable<Engines['cluster']> {
  return async () => ({
    id,
    name: `Temporal cluster ${id}`,
    connection: { address: id },
    namespace: 'house',
  });
}
