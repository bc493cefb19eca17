import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import type { Ended, Running } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import {
  countJournalEntries,
  readJournalSnapshot,
  listRepeated,
  untilJournalHas,
  type JournalSnapshot,
} from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, isLocked, startEval, untilGone, untilSaid, untilServerOf } from './processes';
import { planKills, surviveKills } from './kills';
import { hashResults, writeInstances } from './results';

const CONCURRENCY = 8;
const LATENCY = 200;

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');
const UNDISTURBED = inFolder('undisturbed');

let standIn: StandIn;
let hashes: Record<string, string>;
let calls: number;

beforeAll(async () => {
  await writeInstances(DATA, 5);
  standIn = await startStandIn({
    // Some answers are unusable, so that asking again is interrupted too, and some scores stay missing.
    simulated: { malformed: '0.05', empty: '0.02', refused: '0.03' },
  });
  const ended = await runLoaded(commandIn(UNDISTURBED));
  expectFinished(ended);
  expect(ended.stdout).toContain('Missing (step');
  hashes = await hashResults(UNDISTURBED);
  calls = await countJournalEntries(UNDISTURBED);
});
beforeEach(() => {
  standIn.latency = LATENCY;
});
afterEach(endLeftovers);
afterAll(() => standIn.goDown());

describe('an evaluation whose processes are ended', () => {
  test('ends with the same bytes and makes no answered call again, wherever the kills fall', async () => {
    const results = inFolder('killed');
    const before = standIn.received.length;
    // So slow that few calls are answered while a kill is waited for.
    standIn.latency = 2 * LATENCY;
    const killable = { folder: results, start: () => start(results), calls };
    await surviveKills(
      killable,
      (random) => planKills(random, 2, 2),
      async ({ running, known, killsOfCommand }) => {
        standIn.latency = 0;
        await killWhileWriting(running, results);
        expectFinished(await runLoaded(commandIn(results)));
        await expectUndisturbed(results, before, known, killsOfCommand);
      },
    );
  });

  test("loses nothing but the calls in flight when the engine's database is deleted", async () => {
    const before = standIn.received.length;
    const results = inFolder('forgotten');
    const first = start(results);
    await untilJournalHas(results, calls / 2, first);
    const server = await untilServerOf(results, first);
    first.child.kill('SIGKILL');
    await first.ended;
    await untilGone(server);
    const known = await readJournalSnapshot(results);
    await rm(join(results, '.cupid', 'engine'), { recursive: true });

    standIn.latency = 0;
    expectFinished(await runLoaded(commandIn(results)));
    await expectUndisturbed(results, before, known, 1);
  });

  test('with Ctrl-C waits for the answers in flight, says how to continue, and the same command ends with the same bytes', async () => {
    const before = standIn.received.length;
    const results = inFolder('interrupted');
    const first = start(results);
    await untilJournalHas(results, calls / 2, first);
    const server = await untilServerOf(results, first);
    // It is far from its end still when the second command is done, however long that takes.
    standIn.latency = 5_000;
    const second = await runLoaded(commandIn(results));
    expect(second).toMatchObject({ code: 1 });
    expect(second.stderr).toContain(`in use by process ${first.pid}`);
    standIn.latency = 1_000;
    await standIn.untilAsked();
    first.child.kill('SIGINT');
    const { code, stderr } = await first.ended;

    expect({ code, stderr }).toMatchObject({ code: 130 });
    expect(stderr).toMatch(/Stopping\. Waiting for \d+ calls? in flight/);
    expect(stderr).toContain(`Continue with the same command: cupid eval --results-dir ${results} --data=`);
    const known = await readJournalSnapshot(results);
    expect(known.size).toBe(standIn.received.length - before);
    expect(known.size).toBeLessThan(calls);
    await untilGone(server);
    expect(await isLocked(results)).toBe(false);

    standIn.latency = 0;
    expectFinished(await runLoaded(commandIn(results)));
    await expectUndisturbed(results, before, known, 0);
  });
});

test('a finished evaluation says so, asks nobody, and leaves the same bytes and exit code', async () => {
  const before = standIn.received.length;
  const again = await runLoaded(commandIn(UNDISTURBED));
  expectFinished(again);
  expect(again.stderr).toContain('is already finished');
  expect(await hashResults(UNDISTURBED)).toEqual(hashes);
  expect(standIn.received).toHaveLength(before);
});

function start(results: string): Running {
  return startEval(results, options());
}

function commandIn(results: string): string[] {
  return ['eval', `--results-dir=${results}`, ...options()];
}

/** Both tasks, and studies of what came of them; every part of it played by another model. */
function options(): string[] {
  return [
    `--data=${DATA}`,
    '--task=both',
    `--model=${standIn.specOf('tested')}`,
    `--evaluator=${standIn.specOf('evaluator')}`,
    `--decomposer=${standIn.specOf('decomposer')}`,
    '--errors=5',
    '--judge-repeats=2',
    `--concurrency=${CONCURRENCY}`,
  ];
}

/** With refused calls, whose scores are missing. */
function expectFinished(ended: Ended): void {
  expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining('results.parquet') });
}

/** @param kills of the command: each may have cost the calls in flight */
async function expectUndisturbed(
  results: string,
  before: number,
  known: JournalSnapshot,
  kills: number,
): Promise<void> {
  const snapshot = await readJournalSnapshot(results);
  const received = standIn.received.slice(before);
  logLine(`${kills} kills of the command: ${received.length} requests for ${snapshot.size} journal entries`);
  expect(await hashResults(results)).toEqual(hashes);
  expect(listRepeated(known, snapshot)).toEqual([]);
  expect(standIn.misunderstood).toEqual([]);
  expect(snapshot.size).toBe(calls);
  expect(new Set(received.map(({ bodyHash }) => bodyHash)).size).toBe(snapshot.size);
  expect(received.length - snapshot.size).toBeLessThanOrEqual(kills * CONCURRENCY);
}

/**
 * Kills the command when it has written a part of its results. A kill that comes too late, since this process had to wait itself, is
 * tried again on results that are written once more.
 */
async function killWhileWriting(first: Running, results: string): Promise<void> {
  const part = join(results, 'instances');
  const last = join(results, 'results.json');
  let running = first;
  for (;;) {
    await untilSaid(running, 'Writing the results.');
    while (!existsSync(part) && running.child.exitCode === null) await turn();
    running.child.kill('SIGKILL');
    const ended = await running.ended;
    if (ended.signal === 'SIGKILL' && !existsSync(last)) return;
    if (ended.signal === null) expectFinished(ended);
    await rm(part, { recursive: true });
    await rm(last);
    running = start(results);
  }
}

function logLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
