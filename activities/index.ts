import { controlKeeping } from './control';
import { limitKeeping } from './limits';
import { evaluationAsking, evaluationKeeping } from './evaluation';
import type { EvaluationWorld } from './evaluation/files';
import { synthesisAsking, synthesisKeeping } from './synthesis';
import type { SynthesisWorld } from './synthesis/files';

/**
 * The activities of a run. Those that ask a model run on the task queue of the model they ask, the others, which only read
 * and write what the run keeps, on the run's own.
 */
export interface RunActivities {
  readonly asking: object;
  readonly keeping: object;
  /** Those that limit models; among `keeping` as well. */
  readonly limiting: object;
}

export function synthesisActivities(world: SynthesisWorld): RunActivities {
  return {
    asking: synthesisAsking(world),
    keeping: { ...synthesisKeeping(world), ...controlKeeping(world), ...limitKeeping(world) },
    limiting: limitKeeping(world),
  };
}

export function evaluationActivities(world: EvaluationWorld): RunActivities {
  return {
    asking: evaluationAsking(world),
    keeping: { ...evaluationKeeping(world), ...controlKeeping(world), ...limitKeeping(world) },
    limiting: limitKeeping(world),
  };
}
