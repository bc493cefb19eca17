import { askModel, type CheckedAnswer } from '../ask-model';
import { buildHistoryHint } from '../cache-hints';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { HistoryRefs, Place } from './inputs';
import { renderHistory, deriveHistoryPlace, getAnswerReading, buildTrialCall } from './read-trial';

/** Has the model under test infer the preference of the current request from the history (paper, figure 21). */
export async function inferPreference(
  world: EvaluationWorld,
  input: Place & HistoryRefs,
): Promise<CheckedAnswer<string>> {
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const values = {
    curr_request: instance.current_request,
    interaction_log: await renderHistory(run, input),
  };
  const cache = input.bothTasks
    ? buildHistoryHint(deriveHistoryPlace(input), run.prompts, values)
    : undefined;
  return askModel(world, run, {
    ...(await buildTrialCall(run, input, 'infer', run.inputs.models[input.model - 1])),
    turn: 0,
    ...buildPromptQuestion(run, 'evaluation/preference_inferrer', values),
    // As the reference asks a model under test: its system prompt in the system role.
    form: 'chat',
    check: getAnswerReading(run).inference,
    ...(cache === undefined ? {} : { cache }),
  });
}
