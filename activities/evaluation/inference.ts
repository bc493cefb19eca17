import { renderInteractionLog, renderSessionPreferences } from '../../data/prompts/evaluation-values';
import type { Checklist } from '../../schemas/dataset/session';
import type { ErrorType, SessionSummary } from '../../schemas/evaluation/evaluation';
import { askModel, type CheckedAnswer, buildPromptQuestion } from '../ask-model';
import type { EvaluationWorld, HistoryRefs, InferenceRefs, Place } from './inputs';
import {
  buildHistoryCache,
  buildTrialCall,
  getAnswerReading,
  readInference,
  renderHistory,
} from './read-trial';

/** Has the model under test summarize the whole log in one call, session by session (paper, figure 23). */
export async function summarizeSessions(
  world: EvaluationWorld,
  input: Place,
): Promise<CheckedAnswer<SessionSummary[]>> {
  const { run } = world;
  const { instance } = await run.instance(input.instance);
  const sessions = instance.prior_interactions;
  const values = { interaction_log: renderInteractionLog(sessions) };
  return askModel(world, {
    ...(await buildTrialCall(run, input, 'summarize', run.inputs.models[input.model - 1])),
    turn: 0,
    ...buildPromptQuestion(run, 'evaluation/interaction_summarizer', values),
    form: 'chat',
    check: (text) => getAnswerReading(run).summary(text, sessions.length),
  });
}

/** Has the model under test infer the preference of the current request from the history (paper, figure 21). */
export async function inferPreference(
  world: EvaluationWorld,
  input: Place & HistoryRefs,
): Promise<CheckedAnswer<string>> {
  const { run } = world;
  const { instance } = await run.instance(input.instance);
  const values = {
    curr_request: instance.current_request,
    interaction_log: await renderHistory(run, input),
  };
  return askModel(world, {
    ...(await buildTrialCall(run, input, 'infer', run.inputs.models[input.model - 1])),
    turn: 0,
    ...buildPromptQuestion(run, 'evaluation/preference_inferrer', values),
    // As the reference asks a model under test: its system prompt in the system role.
    form: 'chat',
    check: getAnswerReading(run).inference,
    ...buildHistoryCache(run, input, values),
  });
}

/** Decomposes an inferred preference into a checklist, as the true one was (paper, 2.3). */
export async function decomposeInference(
  world: EvaluationWorld,
  input: Place & InferenceRefs & { readonly decomposer: number },
): Promise<CheckedAnswer<Checklist>> {
  const { run } = world;
  const values = { preferences: await readInference(run, input) };
  return askModel(world, {
    ...(await buildTrialCall(run, input, 'decompose', run.inputs.evaluators[input.decomposer - 1])),
    turn: input.decomposer,
    seedTurn: 'decomposed',
    ...buildPromptQuestion(run, 'synthesis/preference_decomposer', values),
    check: getAnswerReading(run).checklist,
  });
}

/** Has a model say which of the four kinds of error an inference made (paper, table 2). */
export async function classifyError(
  world: EvaluationWorld,
  input: Place & InferenceRefs & { readonly labeller: number },
): Promise<CheckedAnswer<{ type: ErrorType; explanation: string }>> {
  const { run } = world;
  const { instance } = await run.instance(input.instance);
  const values = {
    curr_request: instance.current_request,
    context_factor: instance.current_context_factor,
    preference: instance.current_contextual_preference,
    inferred_preference: await readInference(run, input),
    session_preferences: renderSessionPreferences(instance.prior_interactions),
  };
  return askModel(world, {
    ...(await buildTrialCall(run, input, 'classify', run.inputs.evaluators[input.labeller - 1])),
    turn: input.labeller,
    seedTurn: 'classified',
    ...buildPromptQuestion(run, 'evaluation/error_classifier', values),
    check: getAnswerReading(run).errorType,
  });
}
