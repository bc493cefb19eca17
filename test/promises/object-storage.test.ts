import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needing } from '../parts/needing';
import { S3Server } from '../s3-server';
import { hashDataSets, type Running } from '../end-to-end/command';
import { runLoaded } from '../end-to-end/loaded-command';
import { endLeftovers, startCommand, until, untilSaid, kill } from '../end-to-end/processes';
import { CONCURRENCY, setUpUndisturbedRun } from '../end-to-end/undisturbed';

const { test } = needing('storage');

const beside = setUpUndisturbedRun(2, { latency: 60 });
const server = new S3Server();
beforeAll(() => server.start());
afterAll(() => server.remove());
afterEach(endLeftovers);

const LOCATION = `s3://${server.bucket}/runs/one`;
const inFolder = (name: string) => join(beside.folder, name);
const start = (name: string): Running =>
  startCommand([...beside.commandOf(name), '--store', LOCATION], server.environment);
const run = (args: readonly string[]) => runLoaded(args, server.environment);
const countEntries = (of = 'runs/one') => server.listObjects(`${of}/journal/`).length;

test('a run on object storage survives SIGKILL, storage that is away and the loss of its folder, with the same bytes', async () => {
  const from = beside.standIn.received.length;
  const killed = start('one');
  await until(() => countEntries() > beside.calls / 4);
  await kill(killed);
  expect((await run(['status', inFolder('one')])).stdout).toContain('stopped');

  const disturbed = start('one');
  await until(() => countEntries() > beside.calls / 2);
  await server.stop();
  await untilSaid(disturbed, "The run's object storage does not answer");
  await server.start();
  const atReturn = countEntries();
  await until(() => countEntries() > atReturn || existsSync(join(inFolder('one'), 'run.json')));
  await kill(disturbed);

  // Simulates another machine: without the folder, and with a server of workflows that does not know the run.
  rmSync(inFolder('one'), { recursive: true });
  const moved = start('two');
  await untilSaid(moved, 'is locked by process');
  const ended = await moved.ended;
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  expect(await hashDataSets(inFolder('two'))).toEqual(beside.hashes);
  // Calls in flight at a kill may have been made twice.
  const extra = beside.standIn.received.length - from - beside.calls;
  expect(extra).toBeLessThanOrEqual(2 * CONCURRENCY);
  // Only the record and the pack of a persona are left.
  const objects = server.listObjects('runs/one/');
  expect(objects.filter((name) => /\/(records|packs|journal)\//.test(name))).toHaveLength(2 * 2 + 1);
  expect(objects.filter((name) => name.includes('/locks/'))).toEqual([]);
  // The folder contains only the run's outputs.
  expect(readdirSync(join(inFolder('two'), '.cupid')).toSorted()).toEqual(
    expect.not.arrayContaining(['journal', 'records', 'inputs', 'ledger']),
  );
});

test('pull brings it into a folder, where it is complete without the storage; push takes it back', async () => {
  const pulled = inFolder('pulled');
  const from = beside.standIn.received.length;
  expect(await run(['pull', LOCATION, pulled])).toMatchObject({ code: 0 });
  expect(await hashDataSets(pulled)).toEqual(beside.hashes);
  const finished = { code: 0, stdout: expect.stringContaining('no failures') };
  expect(await runLoaded(beside.commandOf('pulled'))).toMatchObject(finished);
  expect(await run(['pull', LOCATION, pulled])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('contains a run already'),
  });

  const file = inFolder('a file');
  writeFileSync(file, '');
  expect(await run(['pull', LOCATION, file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${file} is a file, but a run needs a folder.`),
  });

  const place = `s3://${server.bucket}/runs/two`;
  expect(await run(['push', pulled, LOCATION])).toMatchObject({ code: 1 });
  expect(await run(['push', pulled, place])).toMatchObject({ code: 0 });
  const copied = (prefix: string) =>
    server
      .listObjects(prefix)
      .map((name) => name.slice(prefix.length).replace(/\.\d{6}$/, ''))
      .filter((name) => name !== 'run.json');
  expect([...new Set(copied('runs/two/'))]).toEqual([...new Set(copied('runs/one/'))]);
  expect(await run([...beside.commandOf('pulled'), '--store', place])).toMatchObject(finished);
  expect(beside.standIn.received).toHaveLength(from);
});
