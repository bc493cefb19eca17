import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startStandIn } from '../stand-in/chat-server';
import { hashDataSets } from './command';
import { readJournalSnapshot, listRepeated, untilJournalHas } from './journal';
import { untilGone, untilServerOf } from './processes';
import { planKills } from './kills';
import { expectSurvival } from './survival';
import { CONCURRENCY, setUpUndisturbedRun } from './undisturbed';

/** Some answers are unusable, so that asking again, with the reason, is interrupted too. */
const SIMULATED = { malformed: '0.03', empty: '0.02' };

const beside = setUpUndisturbedRun(4, { simulated: SIMULATED });

// Side by side, each with a model of its own, since much of it is waiting for processes to start and end.

describe('a run whose processes are killed', () => {
  test.concurrent('ends with the same bytes and makes no answered call again, wherever the kills fall', async () => {
    // So slow that few calls are answered while a kill is waited for.
    await using standIn = await startStandIn({ latency: 400, simulated: SIMULATED });
    await expectSurvival(beside, standIn, (random) => planKills(random, 3, 2));
  });

  test.concurrent("loses nothing but the calls in flight when the engine's database is deleted", async () => {
    await using standIn = await startStandIn({ latency: 150, simulated: SIMULATED });
    const run = join(beside.folder, 'forgotten');
    const first = beside.start('forgotten', standIn);
    // Amid the first batch of personas: those that are finished would not be asked for anyway.
    await untilJournalHas(run, beside.calls / 3, first);
    const server = await untilServerOf(run, first);
    first.child.kill('SIGKILL');
    await first.ended;
    await untilGone(server);
    const known = await readJournalSnapshot(run);
    await rm(join(run, '.cupid', 'engine'), { recursive: true });

    standIn.latency = 0;
    expect(await beside.finish('forgotten', standIn)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no failures'),
    });
    const snapshot = await readJournalSnapshot(run);
    const extra = standIn.received.length - snapshot.size;
    logLine(`database deleted at ${known.size} of ${snapshot.size} entries: ${extra} calls made again`);
    expect(await hashDataSets(run)).toEqual(beside.hashes);
    expect(listRepeated(known, snapshot)).toEqual([]);
    expect(extra).toBeLessThanOrEqual(CONCURRENCY);
  });
});

function logLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
