import { answersIn, readLedgers } from '../../data/ledger';
import { tableFor } from '../../data/model-table';
import { readSteering } from '../../data/steering';
import { settledLedgers } from '../../rules/ledger';
import { spentIn } from '../../rules/prices';
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
  const living = new Set(input.living);
  const table = tableFor(await readSteering(store));
  const ledgers = await whileAlive(async () =>
    settledLedgers(await readLedgers(store), living, answersIn(journal)),
  );
  const gone = ledgers.filter(({ worker }) => !living.has(worker));
  return Object.fromEntries(gone.map(({ worker, rows }) => [worker, spentIn(rows, table)]));
}
