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
import { isLocked, untilGone, untilSaid, untilServerOf, interrupt } from './processes';
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
  const { stderr } = await interrupt(first);
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
  // Sooner, it would count as the same press.
  await wait(500);
  await interrupt(first);
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
