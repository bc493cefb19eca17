import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dataSetHashes, type Ended } from './command';
import { journalSnapshot, repeated, untilJournalHas } from './journal';
import { undisturbedRun } from './undisturbed';

jest.setTimeout(300_000);

const beside = undisturbedRun(4, { latency: 120 });

afterEach(() => {
  beside.standIn.fault = undefined;
});

describe('a model that is gone for a while', () => {
  test('and answers 503 meanwhile is asked again until it answers', async () => {
    const ended = await throughOutage('unavailable', async () => {
      beside.standIn.fault = { status: 503 };
      await wait(10_000);
      beside.standIn.fault = undefined;
    });
    expect(ended.stderr).toContain('The model is not available');
  });

  test('and refuses connections meanwhile is asked again until it answers', async () => {
    const ended = await throughOutage('unreachable', async () => {
      await beside.standIn.goDown();
      await wait(10_000);
      await beside.standIn.comeBack();
    });
    expect(ended.stderr).toContain('The model cannot be reached');
  });

  test('and limits its rate is asked again after the time it names, and not before', async () => {
    const before = beside.standIn.received.length;
    const seconds = 4;
    const ended = await throughOutage('limited', async () => {
      beside.standIn.fault = { status: 429, retryAfter: seconds };
      await wait(5_000);
      beside.standIn.fault = undefined;
    });
    expect(ended.stderr).toContain('The model limits its rate');
    const received = beside.standIn.received.slice(before);
    const refused = received.filter(({ outcome }) => outcome === 'refused');
    const waits = refused.map(({ bodyHash, at }) => {
      const next = received.find((later) => later.bodyHash === bodyHash && later.at > at);
      return (next?.at ?? Number.NaN) - at;
    });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds * 1_000);
  });
});

/** A run with this happening to its model half-way: it must come to the same end, every call answered once. */
async function throughOutage(name: string, outage: () => Promise<void>): Promise<Ended> {
  const run = join(beside.folder, name);
  const before = beside.standIn.received.length;
  const running = beside.start(name);
  await untilJournalHas(run, beside.calls / 2, running);
  await outage();
  const known = await journalSnapshot(run);
  const ended = await running.ended;
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  const snapshot = await journalSnapshot(run);
  const received = beside.standIn.received.slice(before);
  const unanswered = beside.standIn.count('refused', before) + beside.standIn.count('lost', before);
  process.stdout.write(`${name}: ${received.length} requests, ${unanswered} of them got no answer\n`);
  expect(unanswered).toBeGreaterThan(0);
  expect(await dataSetHashes(run)).toEqual(beside.hashes);
  expect(repeated(known, snapshot)).toEqual([]);
  expect(received.length - unanswered).toBe(snapshot.size);
  return ended;
}
