import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom, type Random } from '../../rules/sampling/random';
import type { Running } from './command';
import { readJournalSnapshot, untilJournalHas } from './journal';
import { findServer, killProcess, untilGone, untilServerOf } from './processes';

/** Processes that are killed: the command, its embedded server, or both, also with the server's database deleted afterwards. */
type Victim = 'command' | 'server' | 'both' | 'database';

/** A SIGKILL, of a command that works in a folder or of its embedded server. */
export interface Kill {
  readonly victim: Victim;
  /** Most entries by which the records have grown since the last kill; undefined for a kill while the command starts. */
  readonly growth?: number;
  /** Milliseconds after that, or after the start. */
  readonly delay: number;
}

/**
 * Plans a kill of each of these victims, in random order.
 * @param twice how many commands are killed again while they start
 */
export function planKills(random: Random, victims: readonly Victim[], twice: number): Kill[] {
  const whileWorking = random.shuffle(victims).map((victim): Kill => ({
    victim,
    growth: 3 + random.integer(14),
    delay: random.integer(300),
  }));
  const killedTwice = random.sample(
    whileWorking.filter(({ victim }) => victim !== 'server'),
    twice,
  );
  return whileWorking.flatMap((working): Kill[] => {
    if (!killedTwice.includes(working)) return [working];
    const victim = random.pick(['command', 'both'] as const);
    return [working, { victim, delay: random.integer(4_000) }];
  });
}

/** Work in a folder that is to survive kills. */
export interface Killable {
  readonly folder: string;
  /** Starts the command, or continues with it. */
  readonly start: () => Running;
  /** Entries in its records at the end. */
  readonly calls: number;
  /** Its records; absent: its calls, in the journal. */
  readonly records?: Records;
}

/** Records of work in its folder. */
interface Records {
  /** Returns what distinguishes one writing of an entry from the next, by entry. */
  readonly read: (folder: string) => Promise<ReadonlyMap<string, string>>;
  /** Resolves when there are so many entries. @throws Error when the command ends before */
  readonly untilThereAre: (folder: string, entries: number, running: Running) => Promise<void>;
}

const JOURNAL: Records = { read: readJournalSnapshot, untilThereAre: untilJournalHas };

interface Survivor {
  /** The command after the last kill. */
  readonly running: Running;
  /** All entries that the records had at a kill. */
  readonly known: ReadonlyMap<string, string>;
  readonly killsOfCommand: number;
}

/**
 * Kills work again and again, then passes what runs after the last kill to `check`. A failure names the seed, which CUPID_TEST_SEED
 * sets, and the kills.
 */
export async function surviveKills(
  { folder, start, calls, records = JOURNAL }: Killable,
  plan: (random: Random) => readonly Kill[],
  check: (survivor: Survivor) => Promise<void>,
): Promise<void> {
  const seed = Number(process.env['CUPID_TEST_SEED'] ?? randomInt(2 ** 31));
  const kills = plan(createRandom('kills', seed));
  const log: string[] = [];
  const known = new Map<string, string>();
  try {
    let running = start();
    let size = 0;
    for (const [at, { victim, growth, delay }] of kills.entries()) {
      // No more than its part of what is left: the work must not come to its end before the kills do.
      const part = Math.floor((calls - size) / (kills.length - at + 1));
      if (growth !== undefined) await records.untilThereAre(folder, size + Math.min(growth, part), running);
      await wait(delay);
      const server =
        victim === 'command'
          ? undefined
          : growth === undefined
            ? await findServer(folder)
            : await untilServerOf(folder, running);
      if (victim !== 'server') running.child.kill('SIGKILL');
      if (server !== undefined) killProcess(server);
      if (victim !== 'server') expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
      if (victim === 'database') {
        if (server !== undefined) await untilGone(server);
        await rm(join(folder, '.cupid', 'engine'), { recursive: true });
      }
      const snapshot = await records.read(folder);
      for (const [key, digest] of snapshot) if (!known.has(key)) known.set(key, digest);
      size = snapshot.size;
      log.push(`${victim}${growth === undefined ? ' while starting' : ''}, at ${size} entries`);
      if (victim !== 'server') running = start();
    }
    await check({ running, known, killsOfCommand: kills.filter(({ victim }) => victim !== 'server').length });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`With CUPID_TEST_SEED=${seed}, after these kills:\n${log.join('\n')}\n${reason}`, {
      cause: error,
    });
  }
}
