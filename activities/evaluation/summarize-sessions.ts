import { renderInteractionLog } from '../../prompts/evaluation-values';
import type { SessionSummary } from '../../schemas/evaluation/evaluation';
import { askModel, type CheckedAnswer } from '../ask-model';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { Place } from './inputs';
import { getAnswerReading, buildTrialCall } from './read-trial';

/** Has the model under test summarize the whole log in one call, session by session (paper, figure 23). */
export async function summarizeSessions(
  world: EvaluationWorld,
  input: Place,
): Promise<CheckedAnswer<SessionSummary[]>> {
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const sessions = instance.prior_interactions;
  const values = { interaction_log: renderInteractionLog(sessions) };
  return askModel(world, run, {
    ...(await buildTrialCall(run, input, 'summarize', run.inputs.models[input.model - 1])),
    turn: 0,
    ...buildPromptQuestion(run, 'evaluation/interaction_summarizer', values),
    form: 'chat',
    check: (text) => getAnswerReading(run).summary(text, sessions.length),
  });
}
