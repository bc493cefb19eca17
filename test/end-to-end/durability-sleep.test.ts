import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dataSetHashes } from './command';
import { journalSize, journalSnapshot, repeated, untilJournalHas } from './journal';
import { untilServerOf } from './processes';
import { undisturbedRun } from './undisturbed';

jest.setTimeout(300_000);

/** Well beyond the heartbeat time-out of a model call: the engine takes every call in flight for lost. */
const SLEEP = 15_000;
const LATENCY = 150;

const beside = undisturbedRun(4, { latency: LATENCY });

test('a run on a machine that falls asleep goes on when it wakes, and makes no call again', async () => {
  const run = join(beside.folder, 'asleep');
  const before = beside.standIn.received.length;
  const running = beside.start('asleep');
  await untilJournalHas(run, beside.calls / 2, running);
  const server = await untilServerOf(run, running);
  // Answers that come only some time after the machine woke up, when the engine has had their calls started again.
  beside.standIn.latency = SLEEP + 6_000;
  await beside.standIn.untilAsked();
  running.child.kill('SIGSTOP');
  process.kill(server.pid, 'SIGSTOP');
  try {
    await wait(SLEEP);
    expect(await journalSize(run)).toBeLessThan(beside.calls);
  } finally {
    beside.standIn.latency = LATENCY;
    process.kill(server.pid, 'SIGCONT');
    running.child.kill('SIGCONT');
  }
  const known = await journalSnapshot(run);

  expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  const snapshot = await journalSnapshot(run);
  expect(await dataSetHashes(run)).toEqual(beside.hashes);
  expect(repeated(known, snapshot)).toEqual([]);
  expect(beside.standIn.received.length - before).toBe(snapshot.size);
});
