import type { EvaluationInputs, StudyWork } from '../../schemas/evaluation/evaluation-run';
import { buildAnswerReading } from '../answers/evaluation/by-step';
import { checkMatch } from '../answers/evaluation/match';
import { readPersonaAnswers } from '../verification/answers';
import { listPersonaQuestions, type VerifiedInstance } from '../verification/questions';
import { createTrackedLookup, type CallLookup, type StoredCalls } from './outcomes';
import { buildPairTurn, buildRepeatTurn } from './trials';

/**
 * The calls of a piece of a study.
 * @param persona of a verification: the instances that it is about
 */
export function listStudyCalls(
  { settings }: Pick<EvaluationInputs, 'settings'>,
  work: StudyWork,
  persona: readonly VerifiedInstance[],
  calls: StoredCalls,
): CallLookup[] {
  // Labels that do not line up with people's say nothing of agreement, however the scores are read.
  const reading = buildAnswerReading(settings.referenceCompatible && work.kind !== 'pair');
  const { look, lookups } = createTrackedLookup(calls, reading);
  switch (work.kind) {
    case 'pair':
      look('match', buildPairTurn(work.matcher), (text) => checkMatch(text, work.checklist));
      break;
    case 'error':
      look('classify', work.labeller, reading.errorType);
      break;
    case 'repeats':
      for (let time = 2; time <= work.times; time += 1) {
        look('judge', buildRepeatTurn(work.judge, time), reading.judgement);
      }
      break;
    case 'verification':
      readPersonaAnswers(look, listPersonaQuestions(persona));
      break;
  }
  return lookups;
}
