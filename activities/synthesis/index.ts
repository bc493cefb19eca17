import { bound } from '../activity';
import type { buildDatasets as build } from './records/build-datasets';
import { carryDialogue, assistantTurn, userTurn } from './dialogue';
import { decomposePreference } from './decompose-preference';
import { describePersonas } from './describe-personas';
import type { SynthesisWorld } from './files';
import { findClosedPersonas, findClosedWorkflows } from './records/find-closed';
import { generateFactors } from './generate-factors';
import { generateJourney } from './generate-journey';
import { keepFailure } from './records/keep-failure';
import { keepRecord } from './records/keep-record';
import { planPersona } from './plan-persona';

/** The activities of synthesis that ask a model. */
export function synthesisAsking(world: SynthesisWorld) {
  return {
    describePersonas: bound(world, describePersonas),
    generateFactors: bound(world, generateFactors),
    generateJourney: bound(world, generateJourney),
    decomposePreference: bound(world, decomposePreference),
    planPersona: bound(world, planPersona),
    carryDialogue: bound(world, carryDialogue),
    assistantTurn: bound(world, assistantTurn),
    userTurn: bound(world, userTurn),
  };
}
export type SynthesisAsking = ReturnType<typeof synthesisAsking>;

/** The activities of synthesis that only read and write what the run keeps. */
export function synthesisKeeping(world: SynthesisWorld) {
  return {
    keepRecord: bound(world, keepRecord),
    keepFailure: bound(world, keepFailure),
    findClosedPersonas: bound(world, findClosedPersonas),
    findClosedWorkflows: bound(world, findClosedWorkflows),
    buildDatasets: bound(world, buildDatasets),
  };
}
export type SynthesisKeeping = ReturnType<typeof synthesisKeeping>;

/** Loads the writers of data sets only when there is something to write: a run does not wait for them to start. */
const buildDatasets: typeof build = async (world, input) => {
  const { buildDatasets: write } = await import('./records/build-datasets.js');
  return write(world, input);
};
