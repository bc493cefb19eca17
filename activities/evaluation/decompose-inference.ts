import type { Checklist } from '../../schemas/session';
import { askModel, type Asked } from '../ask-model';
import { prompted } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { InferenceRefs, Place } from './inputs';
import { readInference, readingOf, seedPlace, stepOf } from './read-trial';

/** Decomposes an inferred preference into a checklist, as the true one was (paper, 2.3). */
export async function decomposeInference(
  world: EvaluationWorld,
  input: Place & InferenceRefs & { readonly decomposer: number },
): Promise<Asked<Checklist>> {
  const run = await world.run(input.run);
  const values = { preferences: await readInference(run, input) };
  return askModel(world, run, {
    ...stepOf(run, 'decompose', run.inputs.evaluators[input.decomposer - 1]),
    workflowId: input.workflowId,
    generation: input.generation,
    turn: input.decomposer,
    seedTurn: 'decomposed',
    ask: input.ask,
    place: await seedPlace(run, input),
    ...prompted(run, 'synthesis/preference_decomposer', values),
    check: readingOf(run).checklist,
  });
}
