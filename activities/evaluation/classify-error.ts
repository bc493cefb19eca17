import { renderSessionPreferences } from '../../prompts/evaluation-values';
import type { ErrorType } from '../../schemas/evaluation/evaluation';
import { askModel, type CheckedAnswer } from '../ask-model';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationWorld } from './files';
import type { InferenceRefs, Place } from './inputs';
import { readInference, getAnswerReading, buildTrialCall } from './read-trial';

/** Has a model say which of the four kinds of error an inference made (paper, table 2). */
export async function classifyError(
  world: EvaluationWorld,
  input: Place & InferenceRefs & { readonly labeller: number },
): Promise<CheckedAnswer<{ type: ErrorType; explanation: string }>> {
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const values = {
    curr_request: instance.current_request,
    context_factor: instance.current_context_factor,
    preference: instance.current_contextual_preference,
    inferred_preference: await readInference(run, input),
    session_preferences: renderSessionPreferences(instance.prior_interactions),
  };
  return askModel(world, run, {
    ...(await buildTrialCall(run, input, 'classify', run.inputs.evaluators[input.labeller - 1])),
    turn: input.labeller,
    seedTurn: 'classified',
    ...buildPromptQuestion(run, 'evaluation/error_classifier', values),
    check: getAnswerReading(run).errorType,
  });
}
