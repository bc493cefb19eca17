import type { Checklist } from '../../schemas/dataset/session';
import { askModel, type CheckedAnswer } from '../ask-model';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { InferenceRefs, Place } from './inputs';
import { readInference, getAnswerReading, buildTrialCall } from './read-trial';

/** Decomposes an inferred preference into a checklist, as the true one was (paper, 2.3). */
export async function decomposeInference(
  world: EvaluationWorld,
  input: Place & InferenceRefs & { readonly decomposer: number },
): Promise<CheckedAnswer<Checklist>> {
  const run = await world.run(input.run);
  const values = { preferences: await readInference(run, input) };
  return askModel(world, run, {
    ...(await buildTrialCall(run, input, 'decompose', run.inputs.evaluators[input.decomposer - 1])),
    turn: input.decomposer,
    seedTurn: 'decomposed',
    ...buildPromptQuestion(run, 'synthesis/preference_decomposer', values),
    check: getAnswerReading(run).checklist,
  });
}
