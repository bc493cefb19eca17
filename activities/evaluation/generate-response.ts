import { askModel, type CheckedAnswer } from '../ask-model';
import { buildHistoryHint } from '../cache-hints';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { HistoryRefs, Place } from './inputs';
import { renderHistory, deriveHistoryPlace, getAnswerReading, buildTrialCall } from './read-trial';

/**
 * Has the model under test answer the current request with the history in mind (paper, figure 22), or, in the oracle preference
 * setting, with the true preference before it.
 */
export async function generateResponse(
  world: EvaluationWorld,
  input: Place & HistoryRefs,
): Promise<CheckedAnswer<string>> {
  const run = await world.run(input.run);
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
  const cache = input.bothTasks
    ? buildHistoryHint(deriveHistoryPlace(input), run.prompts, values)
    : undefined;
  return askModel(world, run, {
    ...(await buildTrialCall(run, input, 'respond', run.inputs.models[input.model - 1])),
    turn: 0,
    ...prompt,
    form: 'chat',
    // The whole answer is judged, and a model that had been shown an earlier one might refer to it.
    tellsReason: false,
    check: getAnswerReading(run).response,
    ...(cache === undefined ? {} : { cache }),
  });
}
