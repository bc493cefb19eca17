import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { hashDataSets, type Ended, type Running } from './command';
import {
  countJournalEntries,
  readJournalSnapshot,
  listRepeated,
  untilJournalHas,
  type JournalSnapshot,
} from './journal';
import { isLocked, until, untilGone, untilSaid, untilServerOf } from './processes';
import { CONCURRENCY, setUpUndisturbedRun } from './undisturbed';

const LATENCY = 300;

/** Well beyond the heartbeat time-out of a model call: the engine takes every call in flight for lost. */
const SLEEP = 15_000;

// Side by side, each with a model of its own, since they wait most of the time.

const beside = setUpUndisturbedRun(2, { latency: 0 });

test.concurrent('Ctrl-C waits for the answers in flight, says so, leaves no process and no lock, and the same command continues', async () => {
  await using standIn = await startStandIn({ latency: LATENCY });
  const { run, running: first } = await halfDone('once', standIn);
  const server = await untilServerOf(run, first);
  standIn.latency = 2_000;
  await standIn.untilAsked();
  first.child.kill('SIGINT');
  const { code, stderr } = await first.ended;

  expect({ code, stderr }).toMatchObject({ code: 130 });
  const said = /Stopping\. Waiting for (\d+) calls? in flight/.exec(stderr)?.[1];
  expect(Number(said)).toBeGreaterThan(0);
  expect(Number(said)).toBeLessThanOrEqual(CONCURRENCY);
  expect(stderr).toContain(`Continue with the same command: cupid synth --output-dir ${run} --model`);
  const known = await readJournalSnapshot(run);
  expect(standIn.received.map(({ outcome }) => outcome)).toEqual(standIn.received.map(() => 'answered'));
  expect(known.size).toBe(standIn.received.length);
  expect(known.size).toBeLessThan(beside.calls);
  await untilGone(server);
  expect(await isLocked(run)).toBe(false);

  standIn.latency = 0;
  const entries = await expectSameEnd(run, beside.finish('once', standIn), known);
  expect(standIn.received).toHaveLength(entries);
});

test.concurrent('Ctrl-C a second time stops at once, and costs only the calls in flight', async () => {
  await using standIn = await startStandIn({ latency: LATENCY });
  const { run, running: first } = await halfDone('twice', standIn);
  const server = await untilServerOf(run, first);
  // Longer than this test may take: waiting for these answers fails it.
  standIn.latency = 600_000;
  await standIn.untilAsked();
  first.child.kill('SIGINT');
  await untilSaid(first, 'Press Ctrl-C again to stop at once');
  first.child.kill('SIGINT');
  expect(await first.ended).toMatchObject({ code: 130 });
  await untilGone(server);
  const known = await readJournalSnapshot(run);

  standIn.latency = 0;
  const entries = await expectSameEnd(run, beside.finish('twice', standIn), known);
  expect(standIn.count('lost')).toBeGreaterThan(0);
  expect(standIn.received.length - entries).toBeLessThanOrEqual(CONCURRENCY);
});

test.concurrent('a run on a machine that falls asleep continues when it wakes, and makes no call again', async () => {
  await using standIn = await startStandIn({ latency: LATENCY });
  const { run, running } = await halfDone('asleep', standIn);
  const server = await untilServerOf(run, running);
  // Answers that come only some time after the machine woke up, when the engine has had their calls started again.
  standIn.latency = SLEEP + 6_000;
  await standIn.untilAsked();
  running.child.kill('SIGSTOP');
  process.kill(server.pid, 'SIGSTOP');
  try {
    await wait(SLEEP);
    expect(await countJournalEntries(run)).toBeLessThan(beside.calls);
  } finally {
    standIn.latency = 0;
    process.kill(server.pid, 'SIGCONT');
    running.child.kill('SIGCONT');
  }
  const entries = await expectSameEnd(run, running.ended, await readJournalSnapshot(run));
  expect(standIn.received).toHaveLength(entries);
});

test.concurrent('a model that answers 503 for a while, or refuses connections, is asked again until it answers; one that limits its rate after the time it names, and not before', async () => {
  await using standIn = await startStandIn({ latency: LATENCY });
  const run = join(beside.folder, 'outages');
  const running = beside.start('outages', standIn);

  await untilJournalHas(run, beside.calls / 4, running);
  standIn.fault = { status: 503 };
  await Promise.all([wait(10_000), until(() => standIn.count('refused') > 0)]);
  standIn.fault = undefined;

  await untilJournalHas(run, beside.calls / 2, running);
  await standIn.untilAsked();
  await standIn.goDown();
  await wait(10_000);
  await standIn.comeBack();
  expect(standIn.count('lost')).toBeGreaterThan(0);

  await untilJournalHas(run, (beside.calls * 3) / 4, running);
  const from = standIn.received.length;
  const seconds = 4;
  standIn.fault = { status: 429, retryAfter: seconds };
  await Promise.all([wait(5_000), until(() => standIn.count('refused', from) > 0)]);
  standIn.fault = undefined;

  const entries = await expectSameEnd(run, running.ended, await readJournalSnapshot(run));
  const { stderr } = await running.ended;
  expect(stderr).toContain('The model is unavailable');
  expect(stderr).toContain('The model cannot be reached');
  expect(stderr).toContain("The model's rate limit is reached");
  const { received } = standIn;
  const waits = received
    .slice(from)
    .filter(({ outcome }) => outcome === 'refused')
    .map(({ bodyHash, at }) => {
      const next = received.find((later) => later.bodyHash === bodyHash && later.at > at);
      return (next?.at ?? Number.NaN) - at;
    });
  expect(waits).not.toEqual([]);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds * 1_000);
  const unanswered = standIn.count('refused') + standIn.count('lost');
  process.stdout.write(`outages: ${received.length} requests, ${unanswered} of them got no answer\n`);
  expect(received.length - unanswered).toBe(entries);
});

async function halfDone(name: string, standIn: StandIn): Promise<{ run: string; running: Running }> {
  const run = join(beside.folder, name);
  const running = beside.start(name, standIn);
  await untilJournalHas(run, beside.calls / 2, running);
  return { run, running };
}

/** Expects the run to end like an undisturbed one, with no known call made again. Returns the number of its calls. */
async function expectSameEnd(run: string, ended: Promise<Ended>, known: JournalSnapshot): Promise<number> {
  const { code, stdout, stderr } = await ended;
  // If the command failed, the test shows its message.
  expect(code === 0 ? '' : stderr).toBe('');
  expect(stdout).toContain('no failures');
  const snapshot = await readJournalSnapshot(run);
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(listRepeated(known, snapshot)).toEqual([]);
  return snapshot.size;
}
