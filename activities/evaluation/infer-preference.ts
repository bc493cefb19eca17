import { askModel, type Asked } from '../ask-model';
import { historyHint } from '../cache-hints';
import { prompted } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { GivenRefs, Place } from './inputs';
import { givenLog, historyOf, readingOf, seedPlace, stepOf } from './read-trial';

/** Has the model under test infer the preference of the current request from the history (paper, figure 21). */
export async function inferPreference(
  world: EvaluationWorld,
  input: Place & GivenRefs,
): Promise<Asked<string>> {
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const values = {
    curr_request: instance.current_request,
    interaction_log: await givenLog(run, input),
  };
  const cache = input.bothTasks ? historyHint(historyOf(input), run.prompts, values) : undefined;
  return askModel(world, run, {
    ...stepOf(run, 'infer', run.inputs.models[input.model - 1]),
    workflowId: input.workflowId,
    generation: input.generation,
    turn: 0,
    ask: input.ask,
    place: await seedPlace(run, input),
    ...prompted(run, 'evaluation/preference_inferrer', values),
    // As the reference asks a model under test: its system prompt in the system role.
    form: 'chat',
    check: readingOf(run).inference,
    ...(cache === undefined ? {} : { cache }),
  });
}
