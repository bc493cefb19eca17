import { writeMissingCall } from '../../data/run/stored-calls';
import type { MissingCall } from '../../schemas/evaluation/evaluation';
import { bindActivity } from '../activity';
import { findStudies, findTrials } from './find-work';
import { generateResponse, judgeResponse } from './generation';
import { classifyError, decomposeInference, inferPreference, summarizeSessions } from './inference';
import type { EvaluationWorld } from './inputs';
import { collectTrials, makeTrial } from './make-trial';
import { matchChecklist, matchPair } from './matching';
import { findContradictions, findExpressions, guessFromRequest, matchGuess } from './verify-persona';

export function buildEvaluationModelActivities(world: EvaluationWorld) {
  return {
    makeTrial: bindActivity(world, makeTrial),
    summarizeSessions: bindActivity(world, summarizeSessions),
    inferPreference: bindActivity(world, inferPreference),
    decomposeInference: bindActivity(world, decomposeInference),
    matchChecklist: bindActivity(world, matchChecklist),
    generateResponse: bindActivity(world, generateResponse),
    judgeResponse: bindActivity(world, judgeResponse),
    classifyError: bindActivity(world, classifyError),
    matchPair: bindActivity(world, matchPair),
    findExpressions: bindActivity(world, findExpressions),
    findContradictions: bindActivity(world, findContradictions),
    guessFromRequest: bindActivity(world, guessFromRequest),
    matchGuess: bindActivity(world, matchGuess),
  };
}
export type EvaluationModelActivities = ReturnType<typeof buildEvaluationModelActivities>;

/** The activities of evaluation that only read and write what the run keeps. */
export function buildEvaluationStoreActivities(world: EvaluationWorld) {
  return {
    findTrials: bindActivity(world, findTrials),
    findStudies: bindActivity(world, findStudies),
    keepMissing: bindActivity(world, keepMissing),
    collectTrials: bindActivity(world, collectTrials),
  };
}
export type EvaluationStoreActivities = ReturnType<typeof buildEvaluationStoreActivities>;

/** Stores why a call gave no usable answer: the score it was for is missing until the call is retried. */
async function keepMissing(
  world: EvaluationWorld,
  input: { readonly run: string; readonly workflowId: string; readonly call: MissingCall },
): Promise<void> {
  await writeMissingCall(world.run.store, input.workflowId, input.call);
}
