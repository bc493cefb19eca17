import { bindActivity } from '../activity';
import type { buildDatasets as build } from './records/build-datasets';
import { collectPlans } from './collect-plans';
import type { SynthesisWorld } from './inputs';
import { makeSynthesisCalls } from './make-calls';
import { findClosedPersonas, findClosedWorkflows } from './records/find-closed';
import { keepFailure } from './records/keep-failure';
import { keepRecord } from './records/keep-record';

export function buildSynthesisModelActivities(world: SynthesisWorld) {
  return {
    makeCalls: bindActivity(world, makeSynthesisCalls),
  };
}
export type SynthesisModelActivities = ReturnType<typeof buildSynthesisModelActivities>;

/** Builds the activities of synthesis that only read and write the run's store. */
export function buildSynthesisStoreActivities(world: SynthesisWorld) {
  return {
    keepRecord: bindActivity(world, keepRecord),
    keepFailure: bindActivity(world, keepFailure),
    findClosedPersonas: bindActivity(world, findClosedPersonas),
    findClosedWorkflows: bindActivity(world, findClosedWorkflows),
    buildDatasets: bindActivity(world, buildDatasets),
    collectPlans: bindActivity(world, collectPlans),
  };
}
export type SynthesisStoreActivities = ReturnType<typeof buildSynthesisStoreActivities>;

/** Loads the writers of data sets only when they are needed, so that a run starts without them. */
const buildDatasets: typeof build = async (world, input) => {
  const { buildDatasets: write } = await import('./records/build-datasets.js');
  return write(world, input);
};
