import { join } from 'node:path';
import { dataSetHashes } from './command';
import { journalSnapshot, repeated, untilJournalHas } from './journal';
import { isLocked, untilGone, untilSaid, untilServerOf } from './processes';
import { CONCURRENCY, undisturbedRun } from './undisturbed';

jest.setTimeout(300_000);

const LATENCY = 120;

const beside = undisturbedRun(4, { latency: LATENCY });

beforeEach(() => {
  beside.standIn.latency = LATENCY;
});

describe('Ctrl-C', () => {
  test('waits for the answers in flight, says so, leaves no process and no lock, and the same command goes on', async () => {
    const run = join(beside.folder, 'once');
    const before = beside.standIn.received.length;
    const first = beside.start('once');
    await untilJournalHas(run, beside.calls / 2, first);
    const server = await untilServerOf(run, first);
    beside.standIn.latency = 2_000;
    await beside.standIn.untilAsked();
    first.child.kill('SIGINT');
    const { code, stderr } = await first.ended;

    expect({ code, stderr }).toMatchObject({ code: 130 });
    const said = /Stopping: (\d+) answers? (?:is|are) in flight/.exec(stderr)?.[1];
    expect(Number(said)).toBeGreaterThan(0);
    expect(Number(said)).toBeLessThanOrEqual(CONCURRENCY);
    expect(stderr).toContain(`Continue with the same command: cupid synth --output-dir ${run} --model`);
    const received = beside.standIn.received.slice(before);
    const known = await journalSnapshot(run);
    expect(received.map(({ outcome }) => outcome)).toEqual(received.map(() => 'answered'));
    expect(known.size).toBe(received.length);
    expect(known.size).toBeLessThan(beside.calls);
    await untilGone(server);
    expect(await isLocked(run)).toBe(false);

    beside.standIn.latency = LATENCY;
    expect(await beside.start('once').ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no failures'),
    });
    const snapshot = await journalSnapshot(run);
    expect(await dataSetHashes(run)).toEqual(beside.hashes);
    expect(repeated(known, snapshot)).toEqual([]);
    expect(beside.standIn.received.length - before).toBe(snapshot.size);
  });

  test('a second time stops at once, and costs only the calls in flight', async () => {
    const run = join(beside.folder, 'twice');
    const before = beside.standIn.received.length;
    const first = beside.start('twice');
    await untilJournalHas(run, beside.calls / 2, first);
    const server = await untilServerOf(run, first);
    // Longer than this test may take: whoever waits for these answers fails it.
    beside.standIn.latency = 600_000;
    await beside.standIn.untilAsked();
    first.child.kill('SIGINT');
    await untilSaid(first, 'Ctrl-C again stops at once');
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 130 });
    await untilGone(server);
    const known = await journalSnapshot(run);

    beside.standIn.latency = LATENCY;
    expect(await beside.start('twice').ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no failures'),
    });
    const snapshot = await journalSnapshot(run);
    expect(await dataSetHashes(run)).toEqual(beside.hashes);
    expect(repeated(known, snapshot)).toEqual([]);
    expect(beside.standIn.count('lost', before)).toBeGreaterThan(0);
    expect(beside.standIn.received.length - before - snapshot.size).toBeLessThanOrEqual(CONCURRENCY);
  });
});
