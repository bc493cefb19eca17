import { join } from 'node:path';
import type { Random } from '../../rules/sampling/random';
import type { StandIn } from '../stand-in/chat-server';
import { hashDataSets } from './command';
import { readJournalSnapshot, listRepeated } from './journal';
import { surviveKills, type Kill } from './kills';
import { CONCURRENCY, type Undisturbed } from './undisturbed';

/** Kills a run as planned, and expects of it the bytes of the undisturbed run, with no answered call made again. */
export async function expectSurvival(
  beside: Undisturbed,
  standIn: StandIn,
  plan: (random: Random) => readonly Kill[],
): Promise<void> {
  const run = join(beside.folder, 'killed');
  const killable = { folder: run, start: () => beside.start('killed', standIn), calls: beside.calls };
  await surviveKills(killable, plan, async ({ running, known, killsOfCommand }) => {
    standIn.latency = 0;
    expect(await running.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    const snapshot = await readJournalSnapshot(run);
    const { received } = standIn;
    process.stdout.write(
      `${killsOfCommand} kills of the command: ${received.length} requests for ${snapshot.size} journal entries\n`,
    );
    expect(await hashDataSets(run)).toEqual(beside.hashes);
    expect(listRepeated(known, snapshot)).toEqual([]);
    expect(standIn.misunderstood).toEqual([]);
    // A call was asked for more than once only when a kill of the command caught it in flight.
    expect(new Set(received.map(({ bodyHash }) => bodyHash)).size).toBe(snapshot.size);
    expect(received.length - snapshot.size).toBeLessThanOrEqual(killsOfCommand * CONCURRENCY);
  });
}
