import { join } from 'node:path';
import { startStandIn } from '../stand-in/chat-server';
import type { Running } from './command';
import { startCluster } from '../temporal-cluster';
import { createTemporaryFolder } from '../temporary-folder';
import { untilJournalHas } from './journal';
import { readWorkerTotals } from './ledgers';
import { endLeftovers, startCommand, until, untilSaid } from './processes';

const folder = createTemporaryFolder();

afterAll(endLeftovers);

// Side by side, each with a model of its own, since they wait most of the time.

test.concurrent('a worker that is stopped ends while the run continues', async () => {
  await using standIn = await startStandIn({ latency: 200 });
  const run = join(folder, 'stopped');
  const driver = startCommand(['synth', '--output-dir', run, `--model=${standIn.spec}`, ...SIZE]);
  const worker = await joined(run, driver);
  worker.child.kill('SIGINT');
  await untilSaid(worker, 'Stopping');
  // So that the run does not end before the worker. Answered all the same: a call that passed the gate just before the stop
  // may arrive only now, and the worker waits for its answer.
  standIn.latency = 3_000;
  expect(await worker.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('Stopped') });
  expect(driver.child.exitCode).toBeNull();
});

test.concurrent('a worker outlives an outage of its cluster, and continues when that is back', async () => {
  await using standIn = await startStandIn({ latency: 200 });
  const run = join(folder, 'on-cluster');
  const options = { folder: join(folder, 'cluster') };
  let cluster = await startCluster(options);
  const { address, port } = cluster;
  try {
    const where = { TEMPORAL_ADDRESS: address };
    const driver = startCommand(['synth', '--output-dir', run, `--model=${standIn.spec}`, ...SIZE], where);
    const worker = await joined(run, driver, where);
    await cluster.stop();
    // Long after a question whether the run continues would have gone unanswered.
    await untilSaid(worker, 'has not answered for 30 s');
    cluster = await startCluster({ ...options, port });
    standIn.latency = 0;
    expect(await driver.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('is finished') });
  } finally {
    await cluster.stop();
  }
});

/** Far more calls than are made before the worker has joined. */
const SIZE = ['--n-personas=6', '--n-sessions=9', '--concurrency=4'];

/** Starts a worker for a run that another command drives, and waits until it has made calls. */
async function joined(run: string, driver: Running, where: Record<string, string> = {}): Promise<Running> {
  await untilJournalHas(run, 1, driver);
  const worker = startCommand(['worker', run, '--concurrency=4'], where);
  await until(async () => (await readWorkerTotals(worker, run)).calls > 0);
  return worker;
}
