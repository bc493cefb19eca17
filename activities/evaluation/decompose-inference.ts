import type { Checklist } from '../../schemas/session';
import { askModel, type CheckedAnswer } from '../ask-model';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { InferenceRefs, Place } from './inputs';
import { readInference, getAnswerReading, deriveSeedPlace, buildStepQuestion } from './read-trial';

/** Decomposes an inferred preference into a checklist, as the true one was (paper, 2.3). */
export async function decomposeInference(
  world: EvaluationWorld,
  input: Place & InferenceRefs & { readonly decomposer: number },
): Promise<CheckedAnswer<Checklist>> {
  const run = await world.run(input.run);
  const values = { preferences: await readInference(run, input) };
  return askModel(world, run, {
    ...buildStepQuestion(run, 'decompose', run.inputs.evaluators[input.decomposer - 1]),
    workflowId: input.workflowId,
    generation: input.generation,
    turn: input.decomposer,
    seedTurn: 'decomposed',
    ask: input.ask,
    place: await deriveSeedPlace(run, input),
    ...buildPromptQuestion(run, 'synthesis/preference_decomposer', values),
    check: getAnswerReading(run).checklist,
  });
}
