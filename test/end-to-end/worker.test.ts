import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { Random } from '../../rules/sampling/random';
import { computeTotals } from '../../engine/costs/ledger';
import { sumTokens } from '../../engine/costs/prices';
import { ledgerRowSchema } from '../../schemas/run/ledger';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { hashDataSets, type Running } from './command';
import { countJournalEntries, readJournalSnapshot, listRepeated, untilJournalHas } from './journal';
import { readRunLedger, readWorkerTotals, readRunTotals } from './ledgers';
import { surviveKills, type Kill } from './kills';
import { runLoaded } from './loaded-command';
import {
  startCommand,
  startSynth,
  until,
  untilGone,
  untilRunning,
  untilSaid,
  untilServerOf,
  kill,
} from './processes';
import { CONCURRENCY, setUpUndisturbedRun } from './undisturbed';

const beside = setUpUndisturbedRun(4, { latency: 0 });

// Side by side, since the first mostly waits for a minute to pass.

test.concurrent('a worker that is killed leaves the rest to the others: they continue at once, get its share within a minute, and end the same way', async () => {
  // So that there is a minute's work left when it is dead.
  const latency = 2_500;
  await using standIn = await startStandIn({ latency });
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
  await stoppedWithCallsInFlight(worker, run);
  await kill(worker);
  const [known, killedAt] = [await readJournalSnapshot(run), standIn.received.length];
  // The server still waits for the tasks of the dead process, and for nothing else.
  await until(() => standIn.received.length > killedAt + 5);
  expect(standIn.mostInFlight).toBeLessThanOrEqual(IN_FLIGHT);
  standIn.mostInFlight = 0;
  await until(() => standIn.received.length > killedAt + 15);
  const ownShare = standIn.mostInFlight;
  await until(() => standIn.mostInFlight === IN_FLIGHT);
  // A minute by what the other sends with its own share: a worker that waits sends nothing.
  expect(standIn.received.length - killedAt).toBeLessThan(ownShare * (60_000 / latency));
  const settled = await untilStatus(
    run,
    ({ workers, ledger }) => workers.length === 1 && computeTotals(ledger).lostCalls > 0,
  );
  const { lostCalls } = computeTotals(settled.ledger);
  standIn.latency = 0;
  expect(await driver.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });

  const snapshot = await readJournalSnapshot(run);
  const received = standIn.received.length;
  const totals = await readRunTotals(run);
  logLine(
    `worker killed: ${lostCalls} calls lost, ${received} requests for ${snapshot.size} journal entries`,
  );
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(listRepeated(known, snapshot)).toEqual([]);
  expect(totals.lostCalls).toBe(lostCalls);
  // Calls about to be sent when their process was killed are listed as well.
  expect(totals.calls + totals.lostCalls).toBeGreaterThanOrEqual(received);
  expect(totals.calls + totals.lostCalls).toBeLessThanOrEqual(received + IN_FLIGHT);
  expect(totals.calls).toBeGreaterThanOrEqual(snapshot.size);
  // No answered call is paid twice.
  expect(totals.calls - sentTogether(standIn, latency)).toBeLessThanOrEqual(snapshot.size);
});

test.concurrent('workers outlive the process that drives the run: they wait for the next one, and continue it to the same end', async () => {
  await using standIn = await startStandIn({ latency: 300 });
  const run = join(beside.folder, 'driver-killed');
  const first = beside.start('driver-killed', standIn);
  const worker = await joined(run, first);
  await untilJournalHas(run, beside.calls / 3, first);
  const server = await untilServerOf(run, first);
  await kill(first);
  await untilGone(server);
  await untilSaid(worker, 'No command is driving run');
  await until(async () => (await readWorkerTotals(worker, run)).lostCalls === 0);
  const known = await readJournalSnapshot(run);
  await wait(3_000);
  expect(await countJournalEntries(run)).toBe(known.size);
  const spent = sumTokens(await readRunLedger(run));

  // So that both are met at work, however long it takes them to begin.
  standIn.latency = 5_000;
  const second = beside.start('driver-killed', standIn);
  await untilJournalHas(run, known.size + 1, second);
  await until(() => timesWorked(worker) >= 2);
  const { ledger } = await untilStatus(run, ({ workers }) => workers.length >= 2);
  // The earlier spending of both still counts when one comes back.
  expect(sumTokens(ledger)).toBeGreaterThanOrEqual(spent);
  standIn.latency = 0;
  expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('is finished') });

  const snapshot = await readJournalSnapshot(run);
  const received = standIn.received.length;
  const { calls, lostCalls } = await readRunTotals(run);
  logLine(
    `driver killed: ${lostCalls} calls lost, ${received} requests for ${snapshot.size} journal entries`,
  );
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(listRepeated(known, snapshot)).toEqual([]);
  expect(calls + lostCalls).toBeGreaterThanOrEqual(received);
  expect(calls + lostCalls).toBeLessThanOrEqual(received + CONCURRENCY);
  expect(lostCalls).toBeLessThanOrEqual(CONCURRENCY);
  // No answered call is paid twice.
  expect(calls - sentTogether(standIn, 5_000)).toBeLessThanOrEqual(snapshot.size);
  const lines = (await worker.ended).stderr.trimEnd().split('\n');
  // Nobody watches it: what it says is a log. Its calls of the last minute are in it as often as it takes minutes.
  const logged = lines
    .map((line) => z.looseObject({ message: z.string() }).parse(JSON.parse(line)).message)
    .filter((message) => !message.endsWith('by this worker so far.'));
  // That the server has gone is one sentence, however many requests of the SDK find that out.
  expect(logged.map((message) => message.split(' ').slice(0, 3).join(' '))).toEqual([
    'Working on run',
    'At most 16',
    'No command is',
    'Working on run',
    'At most 16',
    expect.stringMatching(/^Run .* is$/),
  ]);
  expect(/This worker made (\d+) call/.exec((await worker.ended).stderr)?.[1]).not.toBe('0');
});

test.concurrent('workers that are killed again and again lose nothing but their calls in flight, and the run ends with the same bytes', async () => {
  const latency = 500;
  await using standIn = await startStandIn({ latency });
  const run = join(beside.folder, 'workers-killed');
  // Nearly all calls are the worker's.
  const driver = startSynth(run, `--model=${standIn.spec}`, ...beside.size, '--concurrency=1');
  await untilServerOf(run, driver);
  const killable = {
    folder: run,
    start: () => startCommand(['worker', run, `--concurrency=${CONCURRENCY}`]),
    calls: beside.calls,
    records: { read: readJournalSnapshot, untilThereAre: untilWorkerCalls },
  };
  const plan = (random: Random) =>
    Array.from({ length: 3 }, (): Kill => ({
      victim: 'command',
      growth: 3 + random.integer(20),
      delay: random.integer(latency),
    }));
  await surviveKills(killable, plan, async ({ running, known, killsOfCommand }) => {
    standIn.latency = 0;
    expect(await driver.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    expect(await running.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('is finished') });
    const snapshot = await readJournalSnapshot(run);
    const { lostCalls } = await readRunTotals(run);
    logLine(`${killsOfCommand} workers killed: ${lostCalls} calls lost for ${snapshot.size} journal entries`);
    expect(await hashDataSets(run)).toEqual(beside.hashes);
    expect(listRepeated(known, snapshot)).toEqual([]);
    // They were met at work.
    expect(lostCalls).toBeGreaterThan(0);
    expect(standIn.received.length - sentTogether(standIn, latency) - snapshot.size).toBeLessThanOrEqual(
      killsOfCommand * CONCURRENCY,
    );
  });
});

/** Resolves when the journal has that many entries, and a worker has made calls. @throws Error when it ends before */
async function untilWorkerCalls(run: string, entries: number, worker: Running): Promise<void> {
  await untilJournalHas(run, entries, worker);
  await untilRunning(worker, 'it made a call', async () => (await readWorkerTotals(worker, run)).calls > 0);
}

/** The most that the model is to be sent at once. */
const IN_FLIGHT = 10;

/** Starts a worker for a run that another command drives. */
async function joined(run: string, driver: Running): Promise<Running> {
  await untilServerOf(run, driver);
  const worker = startCommand(['worker', run, '--concurrency', '16']);
  await untilSaid(worker, 'Working on run');
  return worker;
}

/**
 * Counts the requests sent while the same one was unanswered, and so not in the journal. A busy server gives a call to a second process
 * after seconds of silence from the first.
 */
function sentTogether({ received }: StandIn, longestMs: number): number {
  return received.filter(({ bodyHash, at }, index) => {
    const before = received.slice(0, index).findLast((earlier) => earlier.bodyHash === bodyHash);
    return before !== undefined && at - before.at <= longestMs + KEEPING_MS;
  }).length;
}

/** How long an answer may take into the journal on a busy machine. */
const KEEPING_MS = 1_000;

function timesWorked(worker: Running): number {
  return worker.stderr().split('Working on run').length - 1;
}

const statusSchema = z.looseObject({
  ledger: z.array(ledgerRowSchema),
  workers: z.array(z.unknown()),
});

type Status = z.infer<typeof statusSchema>;

/** Waits until this holds for the run's status, and returns it. Only the engine knows the workers. */
async function untilStatus(run: string, holds: (status: Status) => boolean): Promise<Status> {
  for (;;) {
    const status = statusSchema.parse(JSON.parse((await runLoaded(['status', run, '--json'])).stdout));
    if (holds(status)) return status;
    await wait(200);
  }
}

/** Puts a worker to sleep at a moment when calls of its have no answer yet. */
async function stoppedWithCallsInFlight(worker: Running, run: string): Promise<void> {
  await until(async () => {
    worker.child.kill('SIGSTOP');
    if ((await readWorkerTotals(worker, run)).lostCalls > 0) return true;
    worker.child.kill('SIGCONT');
    return false;
  });
}

function logLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
