import { bindActivity } from '../activity';
import { findStudies, findTrials } from './find-work';
import type { EvaluationWorld } from './inputs';
import { keepMissing } from './keep-missing';
import { collectTrials, makeEvaluationCalls } from './make-calls';

export function buildEvaluationModelActivities(world: EvaluationWorld) {
  return {
    makeCalls: bindActivity(world, makeEvaluationCalls),
  };
}
export type EvaluationModelActivities = ReturnType<typeof buildEvaluationModelActivities>;

/** Builds the activities of evaluation that only read and write the run's store. */
export function buildEvaluationStoreActivities(world: EvaluationWorld) {
  return {
    findTrials: bindActivity(world, findTrials),
    findStudies: bindActivity(world, findStudies),
    keepMissing: bindActivity(world, keepMissing),
    collectTrials: bindActivity(world, collectTrials),
  };
}
export type EvaluationStoreActivities = ReturnType<typeof buildEvaluationStoreActivities>;
