import { askModel, type Asked } from '../ask-model';
import { historyHint } from '../cache-hints';
import { prompted } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { GivenRefs, Place } from './inputs';
import { givenLog, historyOf, readingOf, seedPlace, stepOf } from './read-trial';

/**
 * Has the model under test answer the current request with the history in mind (paper, figure 22), or, in the oracle preference
 * setting, with the true preference before it.
 */
export async function generateResponse(
  world: EvaluationWorld,
  input: Place & GivenRefs,
): Promise<Asked<string>> {
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const curr_request = instance.current_request;
  const values = { curr_request, interaction_log: await givenLog(run, input) };
  const prompt =
    input.given === 'preference'
      ? prompted(run, 'evaluation/response_generator_with_preference', {
          curr_request,
          preference: instance.current_contextual_preference,
        })
      : prompted(run, 'evaluation/response_generator', values);
  const cache = input.bothTasks ? historyHint(historyOf(input), run.prompts, values) : undefined;
  return askModel(world, run, {
    ...stepOf(run, 'respond', run.inputs.models[input.model - 1]),
    workflowId: input.workflowId,
    generation: input.generation,
    turn: 0,
    ask: input.ask,
    place: await seedPlace(run, input),
    ...prompt,
    form: 'chat',
    // The whole answer is judged, and a model that had been told of an earlier one may speak of it there.
    tellsReason: false,
    check: readingOf(run).response,
    ...(cache === undefined ? {} : { cache }),
  });
}
