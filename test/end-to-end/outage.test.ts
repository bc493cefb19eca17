import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { ledgersOf } from '../../client/ledgers';
import { folderStore } from '../../data/store';
import { mergeLedgers, totalsOf, type LedgerTotals } from '../../rules/ledger';
import { startStandIn, type ReceivedRequest, type StandIn } from '../stand-in/chat-server';
import { dataSetHashes } from './command';
import { journalSnapshot, repeated, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { startCommand, startSynth, untilSaid, untilServerOf } from './processes';
import { CONCURRENCY, undisturbedRun } from './undisturbed';

jest.setTimeout(300_000);

const beside = undisturbedRun(2, { latency: 0 });

/** A probe every five seconds, from each of so many processes, and one for the seconds that were begun. */
function probesIn(milliseconds: number, processes = 1): number {
  return Math.ceil(milliseconds / 5_000 + 1) * processes;
}

/** Failures after which a model counts as down. */
const TRIES = 5;

// Side by side, since each mostly waits for time to pass.

test.concurrent('a provider that refuses connections for 90 seconds costs nothing but them: nobody has to help, and its calls are not tried over and over', async () => {
  await using standIn = await startStandIn({ latency: 150 });
  const run = join(beside.folder, 'refused');
  const running = beside.start('refused', standIn);
  await untilJournalHas(run, beside.calls / 2, running);
  const from = performance.now();
  await standIn.goDown();
  await wait(30_000);
  const known = await journalSnapshot(run);
  expect((await statusOf(run)).models).toMatchObject([
    { spec: standIn.spec, down: { cause: expect.stringContaining(standIn.spec) } },
  ]);
  expect((await runLoaded(['status', run])).stdout).toContain('it is tried until it is back');
  await wait(60_000);
  expect((await journalSnapshot(run)).size).toBe(known.size);
  await standIn.comeBack();
  const gone = performance.now() - from;
  expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });

  const snapshot = await journalSnapshot(run);
  const { calls, failed } = await totalsIn(run);
  tell(`connections refused for 90 s: ${JSON.stringify(failed)} of ${calls} calls got no answer at first`);
  expect(await dataSetHashes(run)).toEqual(beside.hashes);
  expect(repeated(known, snapshot)).toEqual([]);
  expect(standIn.received.length - standIn.count('lost')).toBe(snapshot.size);
  expect(calls).toBe(snapshot.size);
  // From one moment to the next nobody is answered any more.
  expect(failed['connection']).toBeLessThanOrEqual(TRIES + CONCURRENCY + probesIn(gone));
});

test.concurrent('a provider that answers all the while that it is unavailable is left alone but for a probe now and then, and when it is back the run goes on at its full pace', async () => {
  await using standIn = await startStandIn({ latency: 2_000 });
  const run = join(beside.folder, 'unavailable');
  const inFlight = 32;
  const running = startSynth(run, ...manyCalls(standIn, inFlight));
  while (standIn.count('pending') < inFlight) await wait(20);
  const before = standIn.received.length;
  standIn.fault = { status: 503 };
  // Each answer that is still on its way says that the model is well, and may be followed by as many tries as show that it is not.
  while (standIn.count('pending') > 0 || !(await isDown(run))) await wait(200);
  const [tried, downAt] = [standIn.count('refused', before), performance.now()];
  await wait(60_000);
  const [refused, down] = [standIn.count('refused', before), performance.now() - downAt];
  standIn.fault = undefined;
  const size = (await journalSnapshot(run)).size;
  tell(`503, ${inFlight} in flight: ${tried} requests until it was down, then ${refused - tried} in 60 s`);
  expect(tried).toBeGreaterThanOrEqual(TRIES);
  expect(tried).toBeLessThanOrEqual(TRIES * inFlight);
  expect(refused).toBeGreaterThan(tried);
  expect(refused - tried).toBeLessThanOrEqual(probesIn(down));
  // By itself, and at its full pace.
  await untilJournalHas(run, size + 100, running);
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
});

test.concurrent('a model that asks for time is left alone by every process, each call of its; another model is asked all the same', async () => {
  const [planning, talking] = await Promise.all([
    startStandIn({ latency: 800 }),
    startStandIn({ latency: 100 }),
  ]);
  const run = join(beside.folder, 'limited');
  const driver = startSynth(
    run,
    ...manyCalls(planning, 24),
    `--user-model=${talking.spec}`,
    `--assistant-model=${talking.spec}`,
    // So that there is something left to plan while the first personas talk.
    `--rate=${planning.spec} 3inflight`,
  );
  await untilServerOf(run, driver);
  const worker = startCommand(['worker', run, '--concurrency', '24']);
  await untilSaid(worker, 'Working for run');
  while (talking.received.length < 60) await wait(50);
  const seconds = 10;
  const [told, from] = [talking.received.length, planning.received.length];
  talking.fault = { status: 429, retryAfter: seconds };
  while (talking.count('refused', told) === 0) await wait(1);
  talking.fault = undefined;
  await wait(seconds * 1_000);
  const meanwhile = planning.received.length - from;
  while (talking.received.length < told + 150) await wait(50);
  for (const { child } of [worker, driver]) child.kill('SIGINT');
  const ended = await Promise.all([worker.ended, driver.ended]);
  await Promise.all([planning.goDown(), talking.goDown()]);

  const refused = talking.received.slice(told).filter(({ outcome }) => outcome === 'refused');
  const at = Math.min(...refused.map((one) => one.at));
  // Those that were on their way when it was said, and until the other process had heard.
  const asked = talking.received.filter(within(at + HEARD, at + seconds * 1_000));
  const after = talking.received.filter(within(at + seconds * 1_000, Infinity));
  tell(
    `429 with ${seconds} s: ${talking.received.filter(within(at, at + HEARD)).length} requests in the first ${HEARD} ms, then ${asked.length}; the other model got ${meanwhile}`,
  );
  expect(asked).toEqual([]);
  expect(after.length).toBeGreaterThan(50);
  expect(meanwhile).toBeGreaterThan(seconds);
  for (const { stderr } of ended) expect(callsIn(stderr)).toBeGreaterThan(30);
});

/** Milliseconds within which every process has heard that the model wants to be left alone. */
const HEARD = 3_000;

function within(from: number, to: number): (request: ReceivedRequest) => boolean {
  return ({ at }) => at > from && at < to;
}

function manyCalls(standIn: StandIn, inFlight: number): string[] {
  return ['--model', standIn.spec, '--n-personas', '30', '--concurrency', String(inFlight)];
}

const statusSchema = z.looseObject({ models: z.array(z.looseObject({ down: z.unknown().optional() })) });

async function statusOf(run: string): Promise<z.infer<typeof statusSchema>> {
  return statusSchema.parse(JSON.parse((await runLoaded(['status', run, '--json'])).stdout));
}

async function isDown(run: string): Promise<boolean> {
  return (await statusOf(run)).models.every(({ down }) => down !== undefined);
}

async function totalsIn(run: string): Promise<LedgerTotals> {
  const store = folderStore(join(run, '.cupid'));
  return totalsOf(mergeLedgers(Object.values(await ledgersOf(store))));
}

/** The calls that a command says it has made. */
function callsIn(stderr: string): number {
  return Number(/(\d+) (?:calls of this command|of its calls)/.exec(stderr)?.[1] ?? Number.NaN);
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
