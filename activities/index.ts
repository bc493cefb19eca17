import { assistantTurn } from './assistant-turn';
import { buildDatasets } from './build-datasets';
import { decomposePreference } from './decompose-preference';
import { describePersonas } from './describe-personas';
import { classifying } from './failure';
import { findClosedPersonas, findClosedWorkflows } from './find-closed';
import { generateFactors } from './generate-factors';
import { generateJourney } from './generate-journey';
import { keepFailure } from './keep-failure';
import { keepRecord } from './keep-record';
import { userTurn } from './user-turn';
import type { World } from './world';

/** The activities that ask a model: they run on the task queue of the model they ask. */
export function modelActivities(world: World) {
  return {
    describePersonas: bound(world, describePersonas),
    generateFactors: bound(world, generateFactors),
    generateJourney: bound(world, generateJourney),
    decomposePreference: bound(world, decomposePreference),
    assistantTurn: bound(world, assistantTurn),
    userTurn: bound(world, userTurn),
  };
}
export type ModelActivities = ReturnType<typeof modelActivities>;

/** The activities that only read and write what the run keeps. */
export function keepingActivities(world: World) {
  return {
    keepRecord: bound(world, keepRecord),
    keepFailure: bound(world, keepFailure),
    findClosedPersonas: bound(world, findClosedPersonas),
    findClosedWorkflows: bound(world, findClosedWorkflows),
    buildDatasets: bound(world, buildDatasets),
  };
}
export type KeepingActivities = ReturnType<typeof keepingActivities>;

function bound<Input, Output>(
  world: World,
  step: (world: World, input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return classifying(world, (input: Input) => step(world, input));
}
