import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom, type Random } from '../../rules/sampling/random';
import { startStandIn } from '../stand-in/chat-server';
import { hashDataSets } from './command';
import { readJournalSnapshot, listRepeated, untilJournalHas } from './journal';
import { killProcess, findServer, untilGone, untilServerOf } from './processes';
import { CONCURRENCY, setUpUndisturbedRun } from './undisturbed';

jest.setTimeout(600_000);

/** Some answers are unusable, so that asking again, with the reason, is interrupted too. */
const SIMULATED = { malformed: '0.03', empty: '0.02' };

const beside = setUpUndisturbedRun(4, { simulated: SIMULATED });

// Side by side, each with a model of its own, since much of it is waiting for processes to start and end.

describe('a run whose processes are killed', () => {
  test.concurrent('ends with the same bytes and makes no answered call again, wherever the kills fall', async () => {
    const seed = Number(process.env['CUPID_TEST_SEED'] ?? randomInt(2 ** 31));
    const kills = plannedKills(createRandom('kills', seed));
    const killLog: string[] = [];
    try {
      await surviveKills(join(beside.folder, 'killed'), kills, killLog);
    } catch (error) {
      throw new Error(
        `With CUPID_TEST_SEED=${seed}, after these kills:\n${killLog.join('\n')}\n${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
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

interface Kill {
  readonly victim: 'command' | 'server' | 'both';
  /** Most entries by which the journal has grown since the last kill; undefined for a kill while the command starts. */
  readonly growth?: number;
  /** Milliseconds after that, or after the start. */
  readonly delay: number;
}

/** Enough kills that every stage of a persona meets some. A command is killed while it starts when it has just been killed before. */
function plannedKills(random: Random): Kill[] {
  const victims = random.shuffle(
    (['command', 'server', 'both'] as const).flatMap((victim) => Array.from({ length: 3 }, () => victim)),
  );
  const whileWorking = victims.map((victim): Kill => ({
    victim,
    growth: 3 + random.integer(14),
    delay: random.integer(300),
  }));
  const killedTwice = random.sample(
    whileWorking.filter(({ victim }) => victim !== 'server'),
    2,
  );
  return whileWorking.flatMap((working): Kill[] => {
    if (!killedTwice.includes(working)) return [working];
    const victim = random.pick(['command', 'both'] as const);
    return [working, { victim, delay: random.integer(4_000) }];
  });
}

/** @param killLog what was done, for the message of a failure */
async function surviveKills(run: string, kills: readonly Kill[], killLog: string[]): Promise<void> {
  // So slow that few calls are answered while a kill is waited for.
  await using standIn = await startStandIn({ latency: 400, simulated: SIMULATED });
  const known = new Map<string, string>();
  let running = beside.start('killed', standIn);
  let size = 0;
  for (const [at, { victim, growth, delay }] of kills.entries()) {
    // No more than its part of what is left: the run must not come to its end before the kills do.
    const part = Math.floor((beside.calls - size) / (kills.length - at + 1));
    if (growth !== undefined) await untilJournalHas(run, size + Math.min(growth, part), running);
    await wait(delay);
    const server = growth === undefined ? await findServer(run) : await untilServerOf(run, running);
    if (victim !== 'server') running.child.kill('SIGKILL');
    if (victim !== 'command' && server !== undefined) killProcess(server);
    if (victim !== 'server') {
      expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
    }
    const snapshot = await readJournalSnapshot(run);
    for (const [key, digest] of snapshot) if (!known.has(key)) known.set(key, digest);
    size = snapshot.size;
    killLog.push(`${victim}${growth === undefined ? ' while starting' : ''}, at ${size} entries`);
    if (victim !== 'server') running = beside.start('killed', standIn);
  }
  standIn.latency = 0;
  expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });

  const ofCommand = kills.filter(({ victim }) => victim !== 'server').length;
  const snapshot = await readJournalSnapshot(run);
  const { received } = standIn;
  logLine(
    `${kills.length} kills, ${ofCommand} of the command: ${received.length} requests for ${snapshot.size} journal entries`,
  );
  expect(await hashDataSets(run)).toEqual(beside.hashes);
  expect(listRepeated(known, snapshot)).toEqual([]);
  expect(standIn.misunderstood).toEqual([]);
  // A call was asked for more than once only when a kill of the command caught it in flight.
  expect(new Set(received.map(({ bodyHash }) => bodyHash)).size).toBe(snapshot.size);
  expect(received.length - snapshot.size).toBeLessThanOrEqual(ofCommand * CONCURRENCY);
}

function logLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
