import { interactionLog } from '../../prompts/evaluation-values';
import type { SessionSummary } from '../../schemas/evaluation';
import { askModel, type Asked } from '../ask-model';
import { prompted } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { Place } from './inputs';
import { readingOf, seedPlace, stepOf } from './read-trial';

/** Has the model under test summarize the whole log in one call, session by session (paper, figure 23). */
export async function summarizeSessions(
  world: EvaluationWorld,
  input: Place,
): Promise<Asked<SessionSummary[]>> {
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const sessions = instance.prior_interactions;
  const values = { interaction_log: interactionLog(sessions) };
  return askModel(world, run, {
    ...stepOf(run, 'summarize', run.inputs.models[input.model - 1]),
    workflowId: input.workflowId,
    generation: input.generation,
    turn: 0,
    ask: input.ask,
    place: await seedPlace(run, input),
    ...prompted(run, 'evaluation/interaction_summarizer', values),
    form: 'chat',
    check: (text) => readingOf(run).summary(text, sessions.length),
  });
}
