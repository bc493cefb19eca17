import { join } from 'node:path';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { dataSetHashes, temporaryFolder, type Running } from './command';
import { journalSize, journalSnapshot, repeated, untilJournalHas } from './journal';
import { endLeftovers, isLocked, startSynth, untilGone, untilSaid, untilServerOf } from './processes';

jest.setTimeout(300_000);

const CONCURRENCY = 8;
const LATENCY = 120;

const folder = temporaryFolder();
let standIn: StandIn;
let undisturbed: Awaited<ReturnType<typeof dataSetHashes>>;
let calls = 0;

const start = (name: string): Running =>
  startSynth(
    join(folder, name),
    '--model',
    standIn.spec,
    '--n-personas',
    '4',
    '--concurrency',
    String(CONCURRENCY),
  );

beforeAll(async () => {
  standIn = await startStandIn({ latency: LATENCY });
  expect(await start('undisturbed').ended).toMatchObject({ code: 0 });
  undisturbed = await dataSetHashes(join(folder, 'undisturbed'));
  calls = await journalSize(join(folder, 'undisturbed'));
});

beforeEach(() => {
  standIn.latency = LATENCY;
});
afterEach(endLeftovers);
afterAll(() => standIn.goDown());

describe('Ctrl-C', () => {
  test('waits for the answers in flight, says so, leaves no process and no lock, and the same command goes on', async () => {
    const run = join(folder, 'once');
    const before = standIn.received.length;
    const first = start('once');
    await untilJournalHas(run, calls / 2, first);
    const server = await untilServerOf(run, first);
    standIn.latency = 2_000;
    await standIn.untilAsked();
    first.child.kill('SIGINT');
    const { code, stderr } = await first.ended;

    expect({ code, stderr }).toMatchObject({ code: 130 });
    const said = /Stopping: (\d+) answers? (?:is|are) in flight/.exec(stderr)?.[1];
    expect(Number(said)).toBeGreaterThan(0);
    expect(Number(said)).toBeLessThanOrEqual(CONCURRENCY);
    expect(stderr).toContain(`Continue with the same command: cupid synth --output-dir ${run} --model`);
    const received = standIn.received.slice(before);
    const known = await journalSnapshot(run);
    expect(received.map(({ outcome }) => outcome)).toEqual(received.map(() => 'answered'));
    expect(known.size).toBe(received.length);
    expect(known.size).toBeLessThan(calls);
    await untilGone(server);
    expect(await isLocked(run)).toBe(false);

    standIn.latency = LATENCY;
    expect(await start('once').ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no failures'),
    });
    const snapshot = await journalSnapshot(run);
    expect(await dataSetHashes(run)).toEqual(undisturbed);
    expect(repeated(known, snapshot)).toEqual([]);
    expect(standIn.received.length - before).toBe(snapshot.size);
  });

  test('a second time stops at once, and costs only the calls in flight', async () => {
    const run = join(folder, 'twice');
    const before = standIn.received.length;
    const first = start('twice');
    await untilJournalHas(run, calls / 2, first);
    const server = await untilServerOf(run, first);
    // Longer than this test may take: whoever waits for these answers fails it.
    standIn.latency = 600_000;
    await standIn.untilAsked();
    first.child.kill('SIGINT');
    await untilSaid(first, 'Ctrl-C again stops at once');
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 130 });
    await untilGone(server);
    const known = await journalSnapshot(run);

    standIn.latency = LATENCY;
    expect(await start('twice').ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no failures'),
    });
    const snapshot = await journalSnapshot(run);
    expect(await dataSetHashes(run)).toEqual(undisturbed);
    expect(repeated(known, snapshot)).toEqual([]);
    expect(standIn.count('lost', before)).toBeGreaterThan(0);
    expect(standIn.received.length - before - snapshot.size).toBeLessThanOrEqual(CONCURRENCY);
  });
});
