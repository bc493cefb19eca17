import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { dataSetHashes, temporaryFolder, type Running } from './command';
import { journalSize, journalSnapshot, repeated, untilJournalHas } from './journal';
import { endLeftovers, startSynth, untilServerOf } from './processes';

jest.setTimeout(300_000);

/** Well beyond the heartbeat time-out of a model call: the engine takes every call in flight for lost. */
const SLEEP = 15_000;
const LATENCY = 150;

const folder = temporaryFolder();
let standIn: StandIn;
let undisturbed: Awaited<ReturnType<typeof dataSetHashes>>;
let calls = 0;

const start = (name: string): Running =>
  startSynth(join(folder, name), '--model', standIn.spec, '--n-personas', '4', '--concurrency', '8');

beforeAll(async () => {
  standIn = await startStandIn({ latency: LATENCY });
  expect(await start('undisturbed').ended).toMatchObject({ code: 0 });
  undisturbed = await dataSetHashes(join(folder, 'undisturbed'));
  calls = await journalSize(join(folder, 'undisturbed'));
});

afterEach(endLeftovers);
afterAll(() => standIn.goDown());

test('a run on a machine that falls asleep goes on when it wakes, and makes no call again', async () => {
  const run = join(folder, 'asleep');
  const before = standIn.received.length;
  const running = start('asleep');
  await untilJournalHas(run, calls / 2, running);
  const server = await untilServerOf(run, running);
  // Answers that come only some time after the machine woke up, when the engine has had their calls started again.
  standIn.latency = SLEEP + 6_000;
  await standIn.untilAsked();
  running.child.kill('SIGSTOP');
  process.kill(server.pid, 'SIGSTOP');
  try {
    await wait(SLEEP);
    expect(await journalSize(run)).toBeLessThan(calls);
  } finally {
    standIn.latency = LATENCY;
    process.kill(server.pid, 'SIGCONT');
    running.child.kill('SIGCONT');
  }
  const known = await journalSnapshot(run);

  expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  const snapshot = await journalSnapshot(run);
  expect(await dataSetHashes(run)).toEqual(undisturbed);
  expect(repeated(known, snapshot)).toEqual([]);
  expect(standIn.received.length - before).toBe(snapshot.size);
});
