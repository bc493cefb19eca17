import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startStandIn, type ReceivedRequest, type StandIn } from '../stand-in/chat-server';
import { temporaryFolder } from './command';
import { endLeftovers, startCommand, startSynth, untilSaid, untilServerOf } from './processes';

jest.setTimeout(300_000);

// Side by side, since each mostly waits for a minute to pass.

const folder = temporaryFolder();
afterAll(endLeftovers);

test.concurrent('a limit of 600 requests a minute holds for three worker processes in every sliding minute, also across a kill of the server', async () => {
  const standIn = await startStandIn({ latency: 300 });
  const run = join(folder, 'requests');
  const driver = startSynth(run, ...manyCalls(standIn), '--rate', '600rpm');
  await untilServerOf(run, driver);
  const workers = [1, 2].map(() => startCommand(['worker', run]));
  await Promise.all(workers.map((worker) => untilSaid(worker, 'Working for run')));
  await wait(10_000);
  process.kill((await untilServerOf(run, driver)).pid, 'SIGKILL');
  await wait(62_000);
  for (const running of [...workers, driver]) running.child.kill('SIGINT');
  const ended = await Promise.all([...workers, driver].map((running) => running.ended));
  await standIn.goDown();
  expect(ended.map(({ code }) => code)).toEqual([130, 130, 130]);
  const most = mostInAMinute(standIn.received, () => 1);
  expect(most).toBeLessThanOrEqual(600);
  // It is a limit, not a standstill.
  expect(most).toBeGreaterThan(300);
  expect(standIn.misunderstood).toEqual([]);
  for (const { stderr } of ended.slice(0, 2)) expect(callsIn(stderr)).toBeGreaterThan(50);
});

test.concurrent('a limit on tokens a minute is kept within a tenth, whatever the calls take', async () => {
  const standIn = await startStandIn({ latency: 300 });
  const limit = 300_000;
  const driver = startSynth(join(folder, 'tokens'), ...manyCalls(standIn), '--rate', '300ktpm');
  await untilSaid(driver, 'Starting run');
  await wait(70_000);
  driver.child.kill('SIGINT');
  await driver.ended;
  await standIn.goDown();
  const most = mostInAMinute(standIn.received, ({ tokens }) => tokens);
  expect(most).toBeLessThanOrEqual(limit * 1.1);
  expect(most).toBeGreaterThan(limit * 0.4);
});

test.concurrent('a limit on calls in flight holds over two worker processes', async () => {
  const standIn = await startStandIn({ latency: 500 });
  const run = join(folder, 'in-flight');
  const driver = startSynth(run, ...manyCalls(standIn), '--rate', '10inflight');
  await untilServerOf(run, driver);
  const worker = startCommand(['worker', run]);
  await untilSaid(worker, 'Working for run');
  const before = standIn.received.length;
  while (standIn.received.length < before + 150) await wait(50);
  for (const running of [worker, driver]) running.child.kill('SIGINT');
  const [ended] = await Promise.all([worker.ended, driver.ended]);
  await standIn.goDown();
  expect(standIn.mostInFlight).toBeLessThanOrEqual(10);
  expect(standIn.mostInFlight).toBeGreaterThan(3);
  expect(callsIn(ended.stderr)).toBeGreaterThan(10);
});

function manyCalls(standIn: StandIn): string[] {
  return ['--model', standIn.spec, '--n-personas', '30', '--concurrency', '64'];
}

/** The most of something in any minute: of a minute that begins with one request or another. */
function mostInAMinute(
  received: readonly ReceivedRequest[],
  amount: (request: ReceivedRequest) => number,
): number {
  return Math.max(
    ...received.map(({ at: from }) =>
      received
        .filter(({ at }) => at >= from && at < from + 60_000)
        .reduce((sum, one) => sum + amount(one), 0),
    ),
  );
}

/** The calls that a command says it has made. */
function callsIn(stderr: string): number {
  return Number(/(\d+) (?:calls of this command|of its calls)/.exec(stderr)?.[1] ?? Number.NaN);
}
