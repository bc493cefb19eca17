import { bound } from '../activity';
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
import { summarizeSessions } from './summarize-sessions';

/** The activities of evaluation that ask a model. */
export function evaluationAsking(world: EvaluationWorld) {
  return {
    makeTrial: bound(world, makeTrial),
    summarizeSessions: bound(world, summarizeSessions),
    inferPreference: bound(world, inferPreference),
    decomposeInference: bound(world, decomposeInference),
    matchChecklist: bound(world, matchChecklist),
    generateResponse: bound(world, generateResponse),
    judgeResponse: bound(world, judgeResponse),
    classifyError: bound(world, classifyError),
    matchPair: bound(world, matchPair),
  };
}
export type EvaluationAsking = ReturnType<typeof evaluationAsking>;

/** The activities of evaluation that only read and write what the run keeps. */
export function evaluationKeeping(world: EvaluationWorld) {
  return {
    findTrials: bound(world, findTrials),
    findStudies: bound(world, findStudies),
    keepMissing: bound(world, keepMissing),
  };
}
export type EvaluationKeeping = ReturnType<typeof evaluationKeeping>;
