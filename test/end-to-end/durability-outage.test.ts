import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { dataSetHashes, temporaryFolder, type Ended, type Running } from './command';
import { journalSize, journalSnapshot, repeated, untilJournalHas } from './journal';
import { endLeftovers, startSynth } from './processes';

jest.setTimeout(300_000);

const folder = temporaryFolder();
let standIn: StandIn;
let undisturbed: Awaited<ReturnType<typeof dataSetHashes>>;
let calls = 0;

const start = (name: string): Running =>
  startSynth(join(folder, name), '--model', standIn.spec, '--n-personas', '4', '--concurrency', '8');

beforeAll(async () => {
  standIn = await startStandIn({ latency: 120 });
  expect(await start('undisturbed').ended).toMatchObject({ code: 0 });
  undisturbed = await dataSetHashes(join(folder, 'undisturbed'));
  calls = await journalSize(join(folder, 'undisturbed'));
});

afterEach(async () => {
  standIn.fault = undefined;
  await endLeftovers();
});
afterAll(() => standIn.goDown());

describe('a model that is gone for a while', () => {
  test('and answers 503 meanwhile is asked again until it answers', async () => {
    const ended = await throughOutage('unavailable', async () => {
      standIn.fault = { status: 503 };
      await wait(10_000);
      standIn.fault = undefined;
    });
    expect(ended.stderr).toContain('The model is not available');
  });

  test('and refuses connections meanwhile is asked again until it answers', async () => {
    const ended = await throughOutage('unreachable', async () => {
      await standIn.goDown();
      await wait(10_000);
      await standIn.comeBack();
    });
    expect(ended.stderr).toContain('The model cannot be reached');
  });

  test('and limits its rate is asked again after the time it names, and not before', async () => {
    const before = standIn.received.length;
    const seconds = 4;
    const ended = await throughOutage('limited', async () => {
      standIn.fault = { status: 429, retryAfter: seconds };
      await wait(5_000);
      standIn.fault = undefined;
    });
    expect(ended.stderr).toContain('The model limits its rate');
    const received = standIn.received.slice(before);
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
  const run = join(folder, name);
  const before = standIn.received.length;
  const running = start(name);
  await untilJournalHas(run, calls / 2, running);
  await outage();
  const known = await journalSnapshot(run);
  const ended = await running.ended;
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  const snapshot = await journalSnapshot(run);
  const received = standIn.received.slice(before);
  const unanswered = standIn.count('refused', before) + standIn.count('lost', before);
  process.stdout.write(`${name}: ${received.length} requests, ${unanswered} of them got no answer\n`);
  expect(unanswered).toBeGreaterThan(0);
  expect(await dataSetHashes(run)).toEqual(undisturbed);
  expect(repeated(known, snapshot)).toEqual([]);
  expect(received.length - unanswered).toBe(snapshot.size);
  return ended;
}
