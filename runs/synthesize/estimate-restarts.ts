import type { RunPlan } from '../../data/run/inputs';
import { openScratchStore } from '../../data/store/scratch-store';
import type { SteeringRequest } from '../../engine/limits/steering';
import type { RunFile } from '../../schemas/run/run';
import type { RunFolder } from '../folder/run-folder';
import { reopenPersonas, type PlannedRestarts } from './restarts';
import { buildEstimate, type Estimate } from './estimate';

/**
 * Estimates the calls of a command that starts, continues or retries a synthesis. Work that it does over is reopened in a scratch store only.
 * @param before the plan in the folder
 * @param change of steering
 * @param batch whether it plans personas in batches
 */
export async function estimateSynthesis(
  folder: RunFolder<RunFile, RunPlan>,
  before: RunPlan | undefined,
  plannedRestarts: PlannedRestarts,
  change: SteeringRequest,
  batch: boolean,
): Promise<Estimate> {
  const { plan } = plannedRestarts;
  if (before === undefined) return buildEstimate(plan, undefined, change, batch);
  const { run: _, ...unstarted } = folder;
  await using store = await openScratchStore(folder.store);
  // A folder without its run.json: nothing outside the store is written.
  await reopenPersonas({ ...unstarted, store }, plannedRestarts, true);
  return await buildEstimate(plan, { plan: before, store, driven: false }, change, batch);
}
