import { buildControlActivities } from './control';
import { buildEvaluationModelActivities, buildEvaluationStoreActivities } from './evaluation';
import type { EvaluationWorld } from './evaluation/inputs';
import { buildSynthesisModelActivities, buildSynthesisStoreActivities } from './synthesis';
import type { SynthesisWorld } from './synthesis/inputs';
import { bindActivity } from './activity';
import type { World } from './world';
import { fetchBatch } from './batch/fetch';
import { pollBatches } from './batch/poll';
import { submitBatch } from './batch/submit';

/** Activities of a run: those that call models, and the others, which only read and write the run's store. */
export interface RunActivities {
  readonly asking: object;
  readonly keeping: object;
}

export function buildSynthesisActivities(world: SynthesisWorld): RunActivities {
  return {
    asking: buildSynthesisModelActivities(world),
    keeping: {
      ...buildSynthesisStoreActivities(world),
      ...buildBatchActivities(world),
      ...buildControlActivities(world),
    },
  };
}

export function buildEvaluationActivities(world: EvaluationWorld): RunActivities {
  return {
    asking: buildEvaluationModelActivities(world),
    keeping: {
      ...buildEvaluationStoreActivities(world),
      ...buildBatchActivities(world),
      ...buildControlActivities(world),
    },
  };
}

/** Builds the activities that send batches and fetch their answers, for a run of either kind. */
function buildBatchActivities(world: World) {
  return {
    submitBatch: bindActivity(world, submitBatch),
    pollBatches: bindActivity(world, pollBatches),
    fetchBatch: bindActivity(world, fetchBatch),
  };
}
export type BatchActivities = ReturnType<typeof buildBatchActivities>;
