import type { StandIn } from '../stand-in/chat-server';
import type { Ended, Running } from './command';
import { readJournalSnapshot, listRepeated } from './journal';
import { planKills, surviveKills, type Killable } from './kills';

/** Work over a stand-in model, and what it comes to undisturbed. */
export interface ModelWork extends Killable {
  readonly standIn: StandIn;
  /** Calls in flight at most, which a kill of the command may cost. */
  readonly concurrency: number;
  /** Properties of the command's end. */
  readonly ended: Readonly<Record<string, unknown>>;
  /** Hashes of what it makes in its folder, and what they are to be. */
  readonly hash: (folder: string) => Promise<unknown>;
  readonly hashes: unknown;
}

/**
 * Kills work again and again, and expects the bytes of the undisturbed work, with no answered call made again.
 * @param end disturbs the work that runs after the last kill once more, and brings it to its end
 * @param moreKills of the command, by `end`, while calls are in flight
 */
export async function expectSurvival(
  { folder, standIn, start, calls, concurrency, ended, hash, hashes }: ModelWork,
  [victims, twice]: readonly [victims: Parameters<typeof planKills>[1], twice: number],
  end = async (running: Running): Promise<Ended> => {
    standIn.latency = 0;
    return running.ended;
  },
  moreKills = 0,
): Promise<void> {
  const before = standIn.received.length;
  await surviveKills(
    { folder, start, calls },
    (random) => planKills(random, victims, twice),
    async ({ running, known, killsOfCommand }) => {
      expect(await end(running)).toMatchObject(ended);
      const kills = killsOfCommand + moreKills;
      const snapshot = await readJournalSnapshot(folder);
      const received = standIn.received.slice(before);
      process.stdout.write(
        `${kills} kills of the command: ${received.length} requests for ${snapshot.size} journal entries\n`,
      );
      expect(await hash(folder)).toEqual(hashes);
      expect(listRepeated(known, snapshot)).toEqual([]);
      expect(standIn.misunderstood).toEqual([]);
      expect(snapshot.size).toBe(calls);
      // A call was asked for more than once only when a kill of the command caught it in flight.
      expect(new Set(received.map(({ bodyHash }) => bodyHash)).size).toBe(calls);
      expect(received.length - calls).toBeLessThanOrEqual(kills * concurrency);
    },
  );
}
