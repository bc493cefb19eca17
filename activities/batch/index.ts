import { bindActivity } from '../activity';
import type { World } from '../world';
import { fetchBatch } from './fetch';
import { pollBatches } from './poll';
import { submitBatch } from './submit';

/** The activities that send batches and take their answers, for a run of either kind. */
export function buildBatchActivities(world: World) {
  return {
    submitBatch: bindActivity(world, submitBatch),
    pollBatches: bindActivity(world, pollBatches),
    fetchBatch: bindActivity(world, fetchBatch),
  };
}
export type BatchActivities = ReturnType<typeof buildBatchActivities>;
