import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import type { Running } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries, readJournalSnapshot, listRepeated } from './journal';
import { runLoaded } from './loaded-command';
import {
  endLeftovers,
  isLocked,
  startEval,
  untilGone,
  untilSaid,
  untilServerOf,
  interrupt,
} from './processes';
import { hashResults, writeInstances } from './results';
import { expectSurvival } from './survival';

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
  expect(ended).toMatchObject(FINISHED);
  expect(ended.stdout).toContain('Missing: ');
  hashes = await hashResults(UNDISTURBED);
  calls = await countJournalEntries(UNDISTURBED);
});
beforeEach(() => {
  standIn.latency = LATENCY;
});
afterEach(endLeftovers);
afterAll(() => standIn.goDown());

test('an evaluation ends with the same bytes and makes no answered call again, wherever kills fall, with Ctrl-C, and killed while it writes', async () => {
  const results = inFolder('killed');
  const start = () => startEval(results, options());
  // So slow that few calls are answered while a kill is waited for.
  standIn.latency = 2 * LATENCY;
  const work = { folder: results, standIn, start, calls, concurrency: CONCURRENCY, ended: FINISHED };
  await expectSurvival(
    { ...work, hash: hashResults, hashes },
    [['command', 'server', 'both', 'database'], 1],
    async (running) => {
      const server = await untilServerOf(results, running);
      // It is far from its end still when the second command is done, however long that takes.
      standIn.latency = 5_000;
      const second = await runLoaded(commandIn(results));
      expect(second).toMatchObject({ code: 1 });
      expect(second.stderr).toContain(`in use by process ${running.pid}`);
      standIn.latency = 1_000;
      await standIn.untilAsked();
      const lost = standIn.count('lost');
      const { stderr } = await interrupt(running);
      expect(stderr).toMatch(/Stopping\. Waiting for \d+ calls? in flight/);
      expect(stderr).toContain(`Continue with the same command: cupid eval --results-dir ${results} --data=`);
      expect(standIn.count('lost')).toBe(lost);
      const known = await readJournalSnapshot(results);
      expect(known.size).toBeLessThan(calls);
      await untilGone(server);
      expect(await isLocked(results)).toBe(false);

      standIn.latency = 0;
      await killWhileWriting(start, results);
      const finished = await runLoaded(commandIn(results));
      expect(listRepeated(known, await readJournalSnapshot(results))).toEqual([]);
      return finished;
    },
  );
});

test('a finished evaluation says so, asks nobody, and leaves the same bytes and exit code', async () => {
  const before = standIn.received.length;
  const again = await runLoaded(commandIn(UNDISTURBED));
  expect(again).toMatchObject(FINISHED);
  expect(again.stderr).toContain('is already finished');
  expect(await hashResults(UNDISTURBED)).toEqual(hashes);
  expect(standIn.received).toHaveLength(before);
});

function commandIn(results: string): string[] {
  return ['eval', `--results-dir=${results}`, ...options()];
}

/** Returns options for both tasks and for studies of their results, with a separate model for every part. */
function options(): string[] {
  return [
    `--data=${DATA}`,
    '--task=both',
    `--model=${standIn.specOf('tested')}`,
    `--evaluator=${standIn.specOf('evaluator')}`,
    `--decomposer=${standIn.specOf('decomposer')}`,
    '--errors=5',
    '--judge-repeats=2',
    '--stress=2',
    `--concurrency=${CONCURRENCY}`,
  ];
}

/** With refused calls, whose scores are missing. */
const FINISHED = { code: 3, stdout: expect.stringContaining('results.parquet') };

/**
 * Kills the command when it has written a part of its results. A kill that comes too late, since this process had to wait itself, is
 * tried again on results that are written once more.
 */
async function killWhileWriting(start: () => Running, results: string): Promise<void> {
  const part = join(results, 'instances');
  const last = join(results, 'results.json');
  for (;;) {
    const running = start();
    await untilSaid(running, 'Writing the results.');
    while (!existsSync(part) && running.child.exitCode === null) await turn();
    running.child.kill('SIGKILL');
    const ended = await running.ended;
    if (ended.signal === 'SIGKILL' && !existsSync(last)) return;
    if (ended.signal === null) expect(ended).toMatchObject(FINISHED);
    await rm(part, { recursive: true });
    await rm(last);
  }
}
