import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { watchArrivals } from './arrivals';
import type { Running } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import { readReportedCalls, readWorkerTotals } from './ledgers';
import {
  endLeftovers,
  startCommand,
  startSynth,
  until,
  untilSaid,
  untilServerOf,
  interrupt,
} from './processes';

// Side by side, since each mostly waits for a minute to pass.

const folder = createTemporaryFolder();
afterAll(endLeftovers);

test.concurrent('a limit of 600 requests a minute holds for three worker processes in every sliding minute, also across a kill of the server', async () => {
  const standIn = await startStandIn({ latency: 300 });
  using arrivals = watchArrivals(standIn);
  const run = join(folder, 'requests');
  const driver = startSynth(run, ...manyCalls(standIn), '--rate', '600rpm');
  await untilSaid(driver, 'Starting run');
  const workers = [1, 2].map(() => startCommand(['worker', run]));
  await Promise.all(workers.map((worker) => untilAnswered(run, worker, 1)));
  await wait(10_000);
  process.kill((await untilServerOf(run, driver)).pid, 'SIGKILL');
  await wait(62_000);
  // It is a limit, not a standstill, and all of them work.
  await until(() => arrivals.mostInAMinute() > 300);
  await Promise.all(workers.map((worker) => untilAnswered(run, worker, 51)));
  for (const running of [...workers, driver]) running.child.kill('SIGINT');
  const ended = await Promise.all([...workers, driver].map((running) => running.ended));
  await standIn.goDown();
  expect(ended.map(({ code }) => code)).toEqual([130, 130, 130]);
  expect(arrivals.mostInAMinute()).toBeLessThanOrEqual(600);
  expect(standIn.misunderstood).toEqual([]);
  for (const { stderr } of ended.slice(0, 2)) expect(readReportedCalls(stderr)).toBeGreaterThan(50);
});

test.concurrent('a limit on tokens a minute is used up and kept within a tenth, whatever the calls take', async () => {
  const standIn = await startStandIn({ latency: 300 });
  using arrivals = watchArrivals(standIn);
  const limit = 150_000;
  const driver = startSynth(join(folder, 'tokens'), ...manyCalls(standIn), '--rate', '150ktpm');
  await untilSaid(driver, 'Starting run');
  await standIn.untilAsked();
  await wait(80_000);
  await interrupt(driver);
  await standIn.goDown();
  const most = arrivals.mostInAMinute(({ tokens }) => tokens);
  expect(most).toBeLessThanOrEqual(limit * 1.1);
  expect(most).toBeGreaterThan(limit * 0.75);
});

function manyCalls(standIn: StandIn): string[] {
  return ['--model', standIn.spec, '--n-personas', '30', '--concurrency', '64'];
}

/** Resolves when this process has had so many answers for a run. */
async function untilAnswered(run: string, running: Running, answers: number): Promise<void> {
  await until(async () => (await readWorkerTotals(running, run)).calls >= answers);
}
