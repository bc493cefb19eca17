import { buildModelTable } from '../data/model-table';
import { writeSteering, readSteering } from '../data/run/steering';
import { computeSpentByWorker } from '../engine/costs/prices';
import type { SpentAmounts, Steering } from '../schemas/run/steering';
import { settleRun } from './settle-run';
import type { RunFiles } from './world';

/** Parts of a run that these activities use. */
interface ControlWorld {
  readonly run: Pick<RunFiles, 'store' | 'journal'>;
}

/** Stores the steering of a run for its continuation. */
export async function writeChangedSteering(
  { run }: ControlWorld,
  input: { readonly run: string; readonly steering: Steering },
): Promise<void> {
  await writeSteering(run.store, input.steering);
}

/**
 * Computes the spending of dead workers from their ledgers and the journal. Calls in flight whose answers are not in the journal are lost,
 * and charged at their estimates.
 */
export async function settleWorkers(
  { run }: ControlWorld,
  { living }: { readonly run: string; readonly living: readonly string[] },
): Promise<Record<string, SpentAmounts>> {
  const table = buildModelTable(await readSteering(run.store));
  const ledgers = await settleRun(run, living);
  const departedLedgers = ledgers.filter(({ worker }) => !living.includes(worker));
  return computeSpentByWorker(departedLedgers, table);
}
