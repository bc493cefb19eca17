import type { AnswerRef } from '../../engine/journal/key';
import { renderJudgeChecklist } from '../../data/prompts/evaluation-values';
import type { Judgement } from '../../rules/answers/evaluation/judgement';
import { buildRepeatTurn } from '../../rules/trials/trials';
import { askModel, type CheckedAnswer, buildPromptQuestion } from '../ask-model';
import type { EvaluationWorld, HistoryRefs, Place } from './inputs';
import {
  buildHistoryCache,
  buildTrialCall,
  getAnswerReading,
  readResponse,
  renderHistory,
} from './read-trial';

/**
 * Has the model under test answer the current request with the history in mind (paper, figure 22), or, in the oracle preference
 * setting, with the true preference before it.
 */
export async function generateResponse(
  world: EvaluationWorld,
  input: Place & HistoryRefs,
): Promise<CheckedAnswer<string>> {
  const { run } = world;
  const { instance } = await run.instance(input.instance);
  const curr_request = instance.current_request;
  const values = { curr_request, interaction_log: await renderHistory(run, input) };
  const prompt =
    input.given === 'preference'
      ? buildPromptQuestion(run, 'evaluation/response_generator_with_preference', {
          curr_request,
          preference: instance.current_contextual_preference,
        })
      : buildPromptQuestion(run, 'evaluation/response_generator', values);
  return askModel(world, {
    ...(await buildTrialCall(run, input, 'respond', run.inputs.models[input.model - 1])),
    turn: 0,
    ...prompt,
    form: 'chat',
    // The whole answer is judged, and a model that had been shown an earlier one might refer to it.
    includesReason: false,
    check: getAnswerReading(run).response,
    ...buildHistoryCache(run, input, values),
  });
}

/** Has a judge score how far a response satisfies the true preference, from 1 to 10 (paper, 2.3 and figure 16). */
export async function judgeResponse(
  world: EvaluationWorld,
  input: Place & {
    readonly response: AnswerRef;
    readonly judge: number;
    /** From 2, when a response is judged again to see how far the judge agrees with itself. */
    readonly time?: number;
  },
): Promise<CheckedAnswer<Judgement>> {
  const { run } = world;
  const { instance } = await run.instance(input.instance);
  const values = {
    user_request: instance.current_request,
    ai_response: await readResponse(run, input),
    preference: instance.current_contextual_preference,
    checklist: renderJudgeChecklist(instance.current_checklist),
  };
  return askModel(world, {
    ...(await buildTrialCall(run, input, 'judge', run.inputs.evaluators[input.judge - 1])),
    turn: input.time === undefined ? input.judge : buildRepeatTurn(input.judge, input.time),
    seedTurn: input.time ?? 1,
    ...buildPromptQuestion(run, 'evaluation/response_judger', values),
    check: getAnswerReading(run).judgement,
  });
}
