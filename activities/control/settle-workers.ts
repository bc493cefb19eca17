import { answersIn, readLines } from '../../data/ledger';
import { tableFor } from '../../data/model-table';
import { readSteering } from '../../data/steering';
import { settleLedgers } from '../../rules/ledger';
import { spentByWorker } from '../../rules/prices';
import type { Spent } from '../../schemas/steering';
import { whileAlive } from '../heartbeat';
import type { World } from '../world';

/**
 * What the workers that are gone have spent, by worker: as their ledgers and the journal show. Calls that they had in flight, and whose
 * answers are not in the journal, are lost, and charged at their estimates.
 */
export async function settleWorkers(
  world: World,
  input: { readonly run: string; readonly living: readonly string[] },
): Promise<Record<string, Spent>> {
  const { store, journal } = await world.run(input.run);
  const table = tableFor(await readSteering(store));
  const ledgers = await whileAlive(async () =>
    settleLedgers(await readLines(store), input.living, answersIn(journal)),
  );
  return spentByWorker(
    ledgers.filter(({ worker }) => !input.living.includes(worker)),
    table,
  );
}
