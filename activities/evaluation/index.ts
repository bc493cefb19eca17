import { bindActivity } from '../activity';
import { classifyError } from './classify-error';
import { decomposeInference } from './decompose-inference';
import type { EvaluationWorld } from './files';
import { findStudies, findTrials } from './find-work';
import { generateResponse } from './generate-response';
import { inferPreference } from './infer-preference';
import { judgeResponse } from './judge-response';
import { keepMissing } from './keep-missing';
import { makeTrial } from './make-trial';
import { matchChecklist } from './match-checklist';
import { matchPair } from './match-pair';
import { findContradictions, findExpressions, guessFromRequest, matchGuess } from './verify-persona';
import { summarizeSessions } from './summarize-sessions';

/** The activities of evaluation that ask a model. */
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
  };
}
export type EvaluationStoreActivities = ReturnType<typeof buildEvaluationStoreActivities>;
