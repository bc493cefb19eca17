import type { PlannedRun } from '../rules/method/evaluation-calls';
import { countDataStates } from '../schemas/evaluation/data-state';
import { OutdatedPlan } from '../schemas/run/outdated-plan';
import { bindActivity } from './activity';
import { fetchBatch } from './batch/fetch';
import { pollBatches } from './batch/poll';
import { submitBatch } from './batch/submit';
import { settleWorkers, writeChangedSteering } from './control';
import { findStudies, findTrials } from './evaluation/find-work';
import type { EvaluationWorld } from './evaluation/inputs';
import { keepMissing } from './evaluation/keep-missing';
import { collectTrials, makeEvaluationCalls } from './evaluation/make-calls';
import { collectPlans } from './synthesis/collect-plans';
import type { SynthesisWorld } from './synthesis/inputs';
import { makeSynthesisCalls } from './synthesis/make-calls';
import type { buildDatasets as build } from './synthesis/records/build-datasets';
import { findClosedPersonas, findClosedWorkflows } from './synthesis/records/find-closed';
import { keepFailure } from './synthesis/records/keep-failure';
import { keepRecord } from './synthesis/records/keep-record';
import type { World } from './world';

/** Activities of a run: those that call models, and the others, which only read and write the run's store. */
export interface RunActivities {
  readonly asking: object;
  readonly keeping: object;
}

export function buildSynthesisActivities(world: SynthesisWorld) {
  return {
    asking: { makeCalls: bindActivity(world, makeSynthesisCalls) },
    keeping: {
      keepRecord: bindActivity(world, keepRecordAndPrepare),
      keepFailure: bindActivity(world, keepFailure),
      findClosedPersonas: bindActivity(world, findClosedPersonas),
      findClosedWorkflows: bindActivity(world, findClosedWorkflows),
      buildDatasets: bindActivity(world, buildDatasets),
      collectPlans: bindActivity(world, collectPlans),
      ...buildCommonActivities(world),
    },
  };
}
export type SynthesisActivities = ReturnType<typeof buildSynthesisActivities>;

export function buildEvaluationActivities(world: EvaluationWorld) {
  return {
    asking: { makeCalls: bindCurrent(world, makeEvaluationCalls) },
    keeping: {
      findTrials: bindCurrent(world, findTrials),
      findStudies: bindCurrent(world, findStudies),
      keepMissing: bindCurrent(world, keepMissing),
      collectTrials: bindCurrent(world, collectTrials),
      ...buildCommonActivities(world),
    },
  };
}
export type EvaluationActivities = ReturnType<typeof buildEvaluationActivities>;

/** Builds the activities that send batches and steer, for a run of either kind. */
function buildCommonActivities(world: World) {
  return {
    submitBatch: bindActivity(world, submitBatch),
    pollBatches: bindActivity(world, pollBatches),
    fetchBatch: bindActivity(world, fetchBatch),
    keepSteering: bindActivity(world, writeChangedSteering),
    settleWorkers: bindActivity(world, settleWorkers),
  };
}
export type CommonActivities = ReturnType<typeof buildCommonActivities>;

/** Loads the writers of data sets only when they are needed, so that a run starts without them. */
const buildDatasets: typeof build = async (world, input) => {
  const { buildDatasets: write } = await loadWriters();
  return write(world, input);
};

const loadWriters = () => import('./synthesis/records/build-datasets.js');

/** Loads the writers once a record is stored, while others are still being made: the end of the run need not wait for them. */
const keepRecordAndPrepare: typeof keepRecord = async (world, input) => {
  await keepRecord(world, input);
  const { prepareWriters } = await loadWriters();
  prepareWriters();
};

/** Makes a step an activity that leaves work on rows that this process has not read to others, until it reads the plan again. */
function bindCurrent<Input extends { readonly run: string }, Output>(
  world: EvaluationWorld,
  step: (world: EvaluationWorld, input: Input) => Promise<Output>,
): (input: Input & PlannedRun) => Promise<Output> {
  return bindActivity(world, async (currentWorld, input: Input & PlannedRun) => {
    if ((input.dataState ?? 1) > countDataStates(currentWorld.run.inputs.data)) {
      throw new OutdatedPlan('The data of this evaluation have changed since this process read them.');
    }
    return step(currentWorld, input);
  });
}
