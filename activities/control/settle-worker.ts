import { answersIn, readLedgers } from '../../data/ledger';
import { settledLedgers } from '../../rules/ledger';
import type { Ledger } from '../../schemas/ledger';
import { whileAlive } from '../heartbeat';
import type { World } from '../world';

/**
 * What a worker that is gone has spent: as its ledger and the journal tell. Calls that it had in flight, and whose answers are not
 * in the journal, are lost, and charged at their estimates.
 */
export async function settleWorker(
  world: World,
  input: { readonly run: string; readonly worker: string; readonly living: readonly string[] },
): Promise<Ledger> {
  const { store, journal } = await world.run(input.run);
  const ledgers = await whileAlive(async () => {
    const lines = await readLedgers(store);
    return settledLedgers(lines, new Set(input.living), answersIn(journal));
  });
  return ledgers.find(({ worker }) => worker === input.worker)?.rows ?? [];
}
