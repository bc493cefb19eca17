import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { ledgersOf } from '../../client/ledgers';
import { folderStore } from '../../data/store';
import { mergeLedgers, totalsOf, type LedgerTotals } from '../../rules/ledger';
import { tokensOf } from '../../rules/prices';
import { ledgerRowSchema } from '../../schemas/ledger';
import { startStandIn } from '../stand-in/chat-server';
import { dataSetHashes, type Running } from './command';
import { journalSize, journalSnapshot, repeated, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { startCommand, startSynth, untilGone, untilSaid, untilServerOf } from './processes';
import { CONCURRENCY, undisturbedRun } from './undisturbed';

jest.setTimeout(300_000);

const beside = undisturbedRun(4, { latency: 0 });

// Side by side, since the first mostly waits for a minute to pass.

test.concurrent('a worker that is killed leaves the rest to the others: they go on at once, get its share within a minute, and end the same way', async () => {
  // So that there is a minute's work left when it is dead.
  await using standIn = await startStandIn({ latency: 2_500 });
  const run = join(beside.folder, 'worker-killed');
  const driver = startSynth(
    run,
    `--model=${standIn.spec}`,
    ...beside.size,
    '--concurrency=16',
    `--rate=${IN_FLIGHT}inflight`,
    '--budget=90Mtok',
  );
  const worker = await joined(run, driver);
  await untilJournalHas(run, 60, driver);
  while (!(await bothHaveCallsInFlight(run))) await wait(100);
  worker.child.kill('SIGKILL');
  await worker.ended;
  const [known, killedAt] = [await journalSnapshot(run), standIn.received.length];
  await wait(10_000);
  // What the server had given to the dead one is still waited for, and all else is not.
  expect(standIn.received.length).toBeGreaterThan(killedAt + 5);
  expect(standIn.mostInFlight).toBeLessThanOrEqual(IN_FLIGHT);
  standIn.mostInFlight = 0;
  const minute = Date.now() + 50_000;
  let status = await statusOf(run);
  const isShared = () => standIn.mostInFlight === IN_FLIGHT && status.workers.length === 1;
  while (!(isShared() && totalsOf(status.ledger).lost > 0) && Date.now() < minute) {
    await wait(500);
    status = await statusOf(run);
  }
  expect(standIn.mostInFlight).toBe(IN_FLIGHT);
  expect(status.workers).toHaveLength(1);
  const { lost } = totalsOf(status.ledger);
  expect(lost).toBeGreaterThan(0);
  standIn.latency = 0;
  expect(await driver.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });

  const snapshot = await journalSnapshot(run);
  const received = standIn.received.length;
  const totals = await totalsIn(run);
  tell(`worker killed: ${lost} calls lost, ${received} requests for ${snapshot.size} journal entries`);
  expect(await dataSetHashes(run)).toEqual(beside.hashes);
  expect(repeated(known, snapshot)).toEqual([]);
  expect(totals.lost).toBe(lost);
  // What was about to be sent when its process was killed is listed as well.
  expect(totals.calls + totals.lost).toBeGreaterThanOrEqual(received);
  expect(totals.calls + totals.lost).toBeLessThanOrEqual(received + IN_FLIGHT);
  expect(totals.calls).toBe(snapshot.size);
});

test.concurrent('workers outlive the process that drives the run: they wait for the next one, and go on with it to the same end', async () => {
  await using standIn = await startStandIn({ latency: 300 });
  const run = join(beside.folder, 'driver-killed');
  const first = beside.start('driver-killed', standIn);
  const worker = await joined(run, first);
  await untilJournalHas(run, beside.calls / 3, first);
  const server = await untilServerOf(run, first);
  first.child.kill('SIGKILL');
  await first.ended;
  await untilGone(server);
  await untilSaid(worker, 'Nobody drives run');
  const known = await journalSnapshot(run);
  await wait(3_000);
  expect(await journalSize(run)).toBe(known.size);
  const spent = await tokensIn(run);

  // So that both are met at work.
  standIn.latency = 600;
  const second = beside.start('driver-killed', standIn);
  await untilJournalHas(run, known.size + 60, second);
  while (timesWorked(worker) < 2) await wait(50);
  while ((await statusOf(run)).workers.length < 2) await wait(100);
  // What either has spent before is not forgotten when it comes back.
  expect(tokensOf((await statusOf(run)).ledger)).toBeGreaterThanOrEqual(spent);
  standIn.latency = 0;
  expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('is done') });

  const snapshot = await journalSnapshot(run);
  const received = standIn.received.length;
  const { calls, lost } = await totalsIn(run);
  tell(`driver killed: ${lost} calls lost, ${received} requests for ${snapshot.size} journal entries`);
  expect(await dataSetHashes(run)).toEqual(beside.hashes);
  expect(repeated(known, snapshot)).toEqual([]);
  expect(calls + lost).toBeGreaterThanOrEqual(received);
  expect(calls + lost).toBeLessThanOrEqual(received + CONCURRENCY);
  expect(lost).toBeLessThanOrEqual(CONCURRENCY);
  expect(/made (\d+) of its calls/.exec((await worker.ended).stderr)?.[1]).not.toBe('0');
});

/** The most that the model is to be sent at once. */
const IN_FLIGHT = 10;

/** A worker for a run that another command drives. */
async function joined(run: string, driver: Running): Promise<Running> {
  await untilServerOf(run, driver);
  const worker = startCommand(['worker', run, '--concurrency', '16']);
  await untilSaid(worker, 'Working for run');
  return worker;
}

function timesWorked(worker: Running): number {
  return worker.stderr().split('Working for run').length - 1;
}

const statusSchema = z.looseObject({
  ledger: z.array(ledgerRowSchema),
  workers: z.array(z.looseObject({ inFlight: z.record(z.string(), z.number()) })),
});

async function statusOf(run: string): Promise<z.infer<typeof statusSchema>> {
  return statusSchema.parse(JSON.parse((await runLoaded(['status', run, '--json'])).stdout));
}

async function bothHaveCallsInFlight(run: string): Promise<boolean> {
  const { workers } = await statusOf(run);
  return workers.length === 2 && workers.every(({ inFlight }) => Object.keys(inFlight).length > 0);
}

async function totalsIn(run: string): Promise<LedgerTotals> {
  const store = folderStore(join(run, '.cupid'));
  return totalsOf(mergeLedgers(Object.values(await ledgersOf(store))));
}

async function tokensIn(run: string): Promise<number> {
  const store = folderStore(join(run, '.cupid'));
  return tokensOf(mergeLedgers(Object.values(await ledgersOf(store))));
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
