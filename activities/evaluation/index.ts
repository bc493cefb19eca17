import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import { countDataStates } from '../../schemas/evaluation/data-state';
import type { PlannedRun } from '../../rules/method/evaluation-calls';
import { bindActivity } from '../activity';
import { findStudies, findTrials } from './find-work';
import type { EvaluationWorld } from './inputs';
import { keepMissing } from './keep-missing';
import { collectTrials, makeEvaluationCalls } from './make-calls';

export function buildEvaluationModelActivities(world: EvaluationWorld) {
  return {
    makeCalls: bindCurrent(world, makeEvaluationCalls),
  };
}
export type EvaluationModelActivities = ReturnType<typeof buildEvaluationModelActivities>;

/** Builds the activities of evaluation that only read and write the run's store. */
export function buildEvaluationStoreActivities(world: EvaluationWorld) {
  return {
    findTrials: bindCurrent(world, findTrials),
    findStudies: bindCurrent(world, findStudies),
    keepMissing: bindCurrent(world, keepMissing),
    collectTrials: bindCurrent(world, collectTrials),
  };
}
export type EvaluationStoreActivities = ReturnType<typeof buildEvaluationStoreActivities>;

/** Makes a step an activity that leaves work on rows that this process has not read to others, until it reads the plan again. */
function bindCurrent<Input extends { readonly run: string }, Output>(
  world: EvaluationWorld,
  step: (world: EvaluationWorld, input: Input) => Promise<Output>,
): (input: Input & PlannedRun) => Promise<Output> {
  return bindActivity(world, async (own, input: Input & PlannedRun) => {
    if ((input.dataState ?? 1) > countDataStates(own.run.inputs.data)) {
      throw new OutdatedPlan('The data of this evaluation have changed since this process read them.');
    }
    return step(own, input);
  });
}
