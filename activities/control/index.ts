import { createAnswerLookup, readLedgerLines } from '../../data/run/ledger';
import { buildModelTable } from '../../data/model-table';
import { writeSteering, readSteering } from '../../data/run/steering';
import { settleLedgers } from '../../engine/costs/ledger';
import { computeSpentByWorker } from '../../engine/costs/prices';
import type { SpentAmounts, Steering } from '../../schemas/run/steering';
import { bindActivity } from '../activity';
import type { RunFiles, World } from '../world';

/** Returns the activities by which a run of either kind is steered. */
export function buildControlActivities(world: World) {
  return {
    keepSteering: bindActivity(world, writeChangedSteering),
    settleWorkers: bindActivity(world, settleWorkers),
  };
}
export type ControlActivities = ReturnType<typeof buildControlActivities>;

/** What these activities touch of a run. */
interface ControlWorld {
  readonly run: Pick<RunFiles, 'store' | 'journal'>;
}

/** Keeps how a run is steered, so that it is steered the same way when it is continued. */
export async function writeChangedSteering(
  { run }: ControlWorld,
  input: { readonly run: string; readonly steering: Steering },
): Promise<void> {
  await writeSteering(run.store, input.steering);
}

/**
 * What the workers that are gone have spent, by worker: as their ledgers and the journal show. Calls that they had in flight, and whose
 * answers are not in the journal, are lost, and charged at their estimates.
 */
export async function settleWorkers(
  { run: { store, journal } }: ControlWorld,
  { living }: { readonly run: string; readonly living: readonly string[] },
): Promise<Record<string, SpentAmounts>> {
  const table = buildModelTable(await readSteering(store));
  const ledgers = await settleLedgers(await readLedgerLines(store), living, createAnswerLookup(journal));
  const gone = ledgers.filter(({ worker }) => !living.includes(worker));
  return computeSpentByWorker(gone, table);
}
