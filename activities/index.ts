import { buildBatchActivities } from './batch';
import { buildControlActivities } from './control';
import { buildEvaluationModelActivities, buildEvaluationStoreActivities } from './evaluation';
import type { EvaluationWorld } from './evaluation/files';
import { buildSynthesisModelActivities, buildSynthesisStoreActivities } from './synthesis';
import type { SynthesisWorld } from './synthesis/files';

/** The activities of a run: those that ask models, and the others, which only read and write what the run keeps. */
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
