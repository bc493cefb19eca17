import { answersIn, readLines } from '../../data/run/ledger';
import { tableFor } from '../../data/model-table';
import { keepSteering, readSteering } from '../../data/run/steering';
import { settleLedgers } from '../../costs/ledger';
import { sumSpentByWorker } from '../../costs/prices';
import type { Spent, Steering } from '../../schemas/steering';
import { bound, whileAlive } from '../activity';
import type { RunFiles, World } from '../world';

/** The activities by which a run of either kind is steered. */
export function controlKeeping(world: World) {
  return { keepSteering: bound(world, keepChangedSteering), settleWorkers: bound(world, settleWorkers) };
}
export type ControlKeeping = ReturnType<typeof controlKeeping>;

/** What these activities touch of a run. */
interface ControlWorld {
  run(id: string): Promise<Pick<RunFiles, 'store' | 'journal'>>;
}

/** Keeps how a run is steered, so that it is steered the same way when it is continued. */
export async function keepChangedSteering(
  world: ControlWorld,
  input: { readonly run: string; readonly steering: Steering },
): Promise<void> {
  const { store } = await world.run(input.run);
  await keepSteering(store, input.steering);
}

/**
 * What the workers that are gone have spent, by worker: as their ledgers and the journal show. Calls that they had in flight, and whose
 * answers are not in the journal, are lost, and charged at their estimates.
 */
export async function settleWorkers(
  world: ControlWorld,
  { run, living }: { readonly run: string; readonly living: readonly string[] },
): Promise<Record<string, Spent>> {
  const { store, journal } = await world.run(run);
  const table = tableFor(await readSteering(store));
  const ledgers = await whileAlive(async () =>
    settleLedgers(await readLines(store), living, answersIn(journal)),
  );
  const gone = ledgers.filter(({ worker }) => !living.includes(worker));
  return sumSpentByWorker(gone, table);
}
