import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { hashDataSets } from './command';
import { readJournalSnapshot, listRepeated, untilJournalHas } from './journal';
import { readReportedCalls, readWorkerTotals, readRunTotals } from './ledgers';
import { runLoaded } from './loaded-command';
import { startCommand, startSynth, until, untilSaid, untilServerOf, interrupt } from './processes';
import { CONCURRENCY, setUpUndisturbedRun } from './undisturbed';

const beside = setUpUndisturbedRun(2, { latency: 0 });

/** Returns the most probes in this time: one every five seconds from each process, and one for a begun interval. */
function probesIn(milliseconds: number, processes = 1): number {
  return Math.ceil(milliseconds / 5_000 + 1) * processes;
}

/** Failures after which a model counts as down. */
const TRIES = 5;

/** Returns the most tries until a model counts as down. Each answer still in flight, or being written, resets the count of failures. */
function triesOf(inFlight: number): number {
  return TRIES * inFlight;
}

// Side by side, since each mostly waits for time to pass.

test.concurrent('a provider that refuses connections for 90 seconds costs nothing but them: nobody has to help, and its calls are not tried over and over', async () => {
  await using standIn = await startStandIn({ latency: 150 });
  const run = join(beside.folder, 'refused');
  const running = beside.start('refused', standIn);
  await untilJournalHas(run, beside.calls / 2, running);
  const from = performance.now();
  await standIn.goDown();
  await until(() => isDown(run, standIn));
  const [tried, downAt] = [await refusedIn(run), performance.now()];
  await until(async () =>
    (await runLoaded(['status', run])).stdout.includes('one call is sent every few seconds until it answers'),
  );
  // Earlier answers may still be on their way into the journal.
  await untilJournalHas(run, standIn.count('answered'), running);
  const known = await readJournalSnapshot(run);
  await wait(Math.max(0, from + 90_000 - performance.now()));
  expect((await readJournalSnapshot(run)).size).toBe(known.size);
  await standIn.comeBack();
  const down = performance.now() - downAt;
  expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });

  const snapshot = await readJournalSnapshot(run);
  const { calls } = await readRunTotals(run);
  const refused = await refusedIn(run);
  logLine(`connections refused for 90 s: ${tried} until it was down, then ${refused - tried}`);
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(listRepeated(known, snapshot)).toEqual([]);
  expect(standIn.received.length - standIn.count('lost')).toBe(snapshot.size);
  expect(calls).toBe(snapshot.size);
  // On a busy machine, probes follow before the status is read.
  expect(tried).toBeLessThanOrEqual(triesOf(CONCURRENCY) + probesIn(downAt - from));
  // And what was about to be sent when it went down.
  expect(refused - tried).toBeLessThanOrEqual(CONCURRENCY + probesIn(down));
});

test.concurrent('a provider that answers all the while that it is unavailable gets no call but a probe now and then, and when it is back the run continues at its full pace', async () => {
  await using standIn = await startStandIn({ latency: 200 });
  const run = join(beside.folder, 'unavailable');
  const inFlight = 32;
  const running = startSynth(run, ...manyCalls(standIn, inFlight));
  await untilJournalHas(run, 100, running);
  // No answer comes before all are asked for, however long that takes.
  standIn.latency = 15_000;
  await until(() => standIn.count('pending') >= inFlight);
  const [before, from] = [standIn.received.length, performance.now()];
  standIn.fault = { status: 503 };
  standIn.latency = 2_000;
  await until(async () => standIn.count('pending') === 0 && isDown(run, standIn));
  const [tried, downAt] = [standIn.count('refused', before), performance.now()];
  await wait(30_000);
  const [refused, down] = [standIn.count('refused', before), performance.now() - downAt];
  standIn.fault = undefined;
  const size = (await readJournalSnapshot(run)).size;
  logLine(`503, ${inFlight} in flight: ${tried} requests until it was down, then ${refused - tried} in 30 s`);
  expect(tried).toBeGreaterThanOrEqual(TRIES);
  expect(tried).toBeLessThanOrEqual(triesOf(inFlight) + probesIn(downAt - from));
  expect(refused).toBeGreaterThan(tried);
  // And what was about to be sent when it went down.
  expect(refused - tried).toBeLessThanOrEqual(inFlight + probesIn(down));
  // By itself, and at its full pace.
  await untilJournalHas(run, size + 100, running);
  await interrupt(running);
});

test.concurrent('a model that asks for time gets no call from any process; another model is asked all the same', async () => {
  const [planning, talking] = await Promise.all([
    startStandIn({ latency: 800 }),
    startStandIn({ latency: 100 }),
  ]);
  const run = join(beside.folder, 'limited');
  const inFlight = 24;
  const driver = startSynth(
    run,
    ...manyCalls(planning, inFlight),
    `--user-model=${talking.spec}`,
    `--assistant-model=${talking.spec}`,
    // So that there is something left to plan while the first personas talk.
    `--rate=${planning.spec} 3inflight`,
  );
  await untilServerOf(run, driver);
  const worker = startCommand(['worker', run, '--concurrency', String(inFlight)]);
  await untilSaid(worker, 'Working on run');
  await talking.untilAsked();
  // The rest of the planning waits until then.
  planning.latency = 20_000;
  await until(async () => talking.received.length >= 60 && (await readWorkerTotals(worker, run)).calls > 0);
  const seconds = 30;
  const [talkingBefore, from] = [talking.received.length, planning.received.length];
  talking.fault = { status: 429, retryAfter: seconds };
  while (talking.count('refused', talkingBefore) === 0) await wait(1);
  talking.fault = undefined;
  planning.latency = 100;
  const over = performance.now() + seconds * 1_000;
  // Known to the run, it is known to each of its processes.
  await until(() => isHeld(run, talking));
  const heard = talking.received.length;
  await wait(Math.max(0, over - performance.now()));
  const meanwhile = planning.received.length - from;
  await until(() => talking.received.length >= talkingBefore + 150);
  for (const { child } of [worker, driver]) child.kill('SIGINT');
  const ended = await Promise.all([worker.ended, driver.ended]);
  await Promise.all([planning.goDown(), talking.goDown()]);

  const refused = talking.received.slice(talkingBefore).filter(({ outcome }) => outcome === 'refused');
  const end = Math.min(...refused.map(({ at }) => at)) + seconds * 1_000;
  const asked = talking.received.slice(heard).filter(({ at }) => at < end);
  const after = talking.received.filter(({ at }) => at > end);
  logLine(
    `429 with ${seconds} s: ${heard - talkingBefore} requests until that was known, then ${asked.length}; the other model got ${meanwhile}`,
  );
  // Requests in flight, or about to be sent.
  expect(asked.length).toBeLessThanOrEqual(2 * inFlight);
  expect(after.length).toBeGreaterThan(50);
  expect(meanwhile).toBeGreaterThan(10);
  for (const { stderr } of ended) expect(readReportedCalls(stderr)).toBeGreaterThan(30);
});

function manyCalls(standIn: StandIn, inFlight: number): string[] {
  return ['--model', standIn.spec, '--n-personas', '30', '--concurrency', String(inFlight)];
}

const modelSchema = z.looseObject({
  spec: z.string(),
  outage: z.object({ cause: z.string() }).optional(),
  backoffMs: z.number().optional(),
});

async function modelState(run: string, { spec }: StandIn): Promise<z.infer<typeof modelSchema> | undefined> {
  const { stdout } = await runLoaded(['status', run, '--json']);
  const { models } = z.looseObject({ models: z.array(modelSchema) }).parse(JSON.parse(stdout));
  return models.find((model) => model.spec === spec);
}

async function isDown(run: string, standIn: StandIn): Promise<boolean> {
  return (await modelState(run, standIn))?.outage?.cause.includes(standIn.spec) === true;
}

async function isHeld(run: string, standIn: StandIn): Promise<boolean> {
  return (await modelState(run, standIn))?.backoffMs !== undefined;
}

/** Calls of a run for which no connection was to be had. */
async function refusedIn(run: string): Promise<number> {
  return (await readRunTotals(run)).failures['connection'] ?? 0;
}

function logLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
