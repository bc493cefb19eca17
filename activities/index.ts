import { controlKeeping } from './control';
import { evaluationAsking, evaluationKeeping } from './evaluation';
import type { EvaluationWorld } from './evaluation/files';
import { synthesisAsking, synthesisKeeping } from './synthesis';
import type { SynthesisWorld } from './synthesis/files';

/** The activities of a run: those that ask models, and the others, which only read and write what the run keeps. */
export interface RunActivities {
  readonly asking: object;
  readonly keeping: object;
}

export function synthesisActivities(world: SynthesisWorld): RunActivities {
  return {
    asking: synthesisAsking(world),
    keeping: { ...synthesisKeeping(world), ...controlKeeping(world) },
  };
}

export function evaluationActivities(world: EvaluationWorld): RunActivities {
  return {
    asking: evaluationAsking(world),
    keeping: { ...evaluationKeeping(world), ...controlKeeping(world) },
  };
}
