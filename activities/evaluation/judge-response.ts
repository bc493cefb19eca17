import { renderJudgeChecklist } from '../../prompts/evaluation-values';
import type { AnswerRef } from '../../journal/key';
import type { Judgement } from '../../rules/answers/evaluation/judgement';
import { buildRepeatTurn } from '../../rules/trials/trials';
import { askModel, type CheckedAnswer } from '../ask-model';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { Place } from './inputs';
import { getAnswerReading, readResponse, buildTrialCall } from './read-trial';

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
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const values = {
    user_request: instance.current_request,
    ai_response: await readResponse(run, input),
    preference: instance.current_contextual_preference,
    checklist: renderJudgeChecklist(instance.current_checklist),
  };
  return askModel(world, run, {
    ...(await buildTrialCall(run, input, 'judge', run.inputs.evaluators[input.judge - 1])),
    turn: input.time === undefined ? input.judge : buildRepeatTurn(input.judge, input.time),
    seedTurn: input.time ?? 1,
    ...buildPromptQuestion(run, 'evaluation/response_judger', values),
    check: getAnswerReading(run).judgement,
  });
}
