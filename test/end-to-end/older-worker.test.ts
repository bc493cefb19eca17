import { join } from 'node:path';
import { needing } from '../parts/needing';
import { S3Server } from '../s3-server';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { setUpCluster } from '../temporal-cluster';
import { changeCode } from './changed-code';
import { hashDataSets, type Running } from './command';
import { startCommand, until, untilSaid, kill } from './processes';
import { CONCURRENCY, setUpUndisturbedRun } from './undisturbed';

const { test } = needing('storage');

const beside = setUpUndisturbedRun(3, {});
const server = new S3Server();
const cluster = setUpCluster(join(beside.folder, 'cluster'));
let newer: string;

beforeAll(async () => {
  await server.start();
  newer = changeCode(join(beside.folder, 'program'));
});
afterAll(() => server.remove());

test('workers of an older version that come to a store, are killed and come again pay nothing twice, and the run ends', async () => {
  await using standIn = await startStandIn({ latency: 300 });
  const run = join(beside.folder, 'shared');
  const store = `s3://${server.bucket}/shared`;
  const environment = { ...server.environment, TEMPORAL_ADDRESS: cluster.address };
  const startWorker = (command?: string) =>
    startCommand(
      ['worker', '--store', store, '--trust', `--concurrency=${CONCURRENCY}`],
      environment,
      command,
    );
  const startDriver = (command?: string) =>
    startCommand([...beside.commandOf('shared', standIn), `--store=${store}/run`], environment, command);
  let kills = 0;
  const killOne = async (running: Running) => {
    await kill(running);
    kills += 1;
  };

  const older = startWorker();
  const driver = startDriver();
  await untilSaid(older, 'Working on run');
  await until(() => countAnswered(standIn) > 8);
  // So slow that much is left at each kill, also on a busy machine.
  standIn.latency = 5_000;
  await killOne(driver);
  // The run moves to the newer version, while the older one has work of its own.
  const worker = startWorker(newer);
  await untilSaid(worker, 'is now the current one');
  await untilSaid(worker, 'Working on run');
  await killOne(older);
  const again = startWorker();
  await untilSaid(again, 'is not the current one');
  const between = countAnswered(standIn);
  await until(() => countAnswered(standIn) > between + 8);
  await killOne(again);
  // While the newer one has gone, its run waits for its version.
  await killOne(worker);
  const third = startWorker();
  const successor = startWorker(newer);
  standIn.latency = 0;

  const finished = startDriver(newer);
  expect(await finished.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  for (const one of [third, successor]) one.child.kill('SIGTERM');
  for (const one of [third, successor]) expect((await one.ended).code).toBe(130);
  const { received } = standIn;
  process.stdout.write(`${kills} kills: ${received.length} requests for ${beside.calls} calls\n`);
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(new Set(received.map(({ bodyHash }) => bodyHash)).size).toBe(beside.calls);
  // Only calls that a kill caught in flight were made twice.
  expect(received.length - beside.calls).toBeLessThanOrEqual(kills * CONCURRENCY);
});

function countAnswered({ received }: StandIn): number {
  return received.filter(({ outcome }) => outcome === 'answered').length;
}
