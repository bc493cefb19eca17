import type { Model } from '../../../../models/model';
import {
  EMPTY_LOG,
  renderInteractionLog,
  renderJudgeChecklist,
  renderSessionPreferences,
  renderSummaryLog,
} from '../../../../data/prompts/evaluation-values';
import { renderChecklist } from '../../../../data/prompts/values';
import { checkChecklist } from '../../../../rules/answers/synthesis/checklist';
import { checkErrorType } from '../../../../rules/answers/evaluation/error-type';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import { checkJudgement } from '../../../../rules/answers/evaluation/judgement';
import { checkMatch } from '../../../../rules/answers/evaluation/match';
import { checkText } from '../../../../rules/answers/form/checks';
import { checkSummary } from '../../../../rules/answers/evaluation/summary';
import type { CheckResult } from '../../../../rules/answers/form/checks';
import { splitInstances } from '../../../../rules/instances/split';
import type { MatchLabel } from '../../../../schemas/evaluation/evaluation';
import type { HistoryForm } from '../../../../schemas/evaluation/context';
import type { Instance } from '../../../../schemas/dataset/instance';
import type { Step } from '../../../../schemas/run/step';
import { requireAccepted, ask, askDialogue, requestOf, synthesizePersona, sampleTemplate } from './persona';

/** Returns the instances of this many personas, synthesized by the simulated model as in the pipeline. */
export async function synthesizeInstances(one: Model, personas: number): Promise<Instance[]> {
  const instances: Instance[] = [];
  for (let id = 1; id <= personas; id += 1) instances.push(...(await instancesOfPersona(one, id)));
  return instances;
}

/** Builds the history that a model under test is shown. */
export async function buildLog(one: Model, instance: Instance, given: HistoryForm): Promise<string> {
  const sessions = instance.prior_interactions;
  if (given === 'full') return renderInteractionLog(sessions);
  if (given === 'oracle') {
    const { current_context_factor: factor, current_contextual_preference: preference } = instance;
    return renderInteractionLog(
      sessions.filter(
        (session) => session.context_factor === factor && session.contextual_preference === preference,
      ),
    );
  }
  if (given !== 'summary') return EMPTY_LOG;
  const text = await askText(one, 'summarize', { interaction_log: renderInteractionLog(sessions) });
  return renderSummaryLog(requireAccepted(checkSummary(text, sessions.length)));
}

/** Returns a model's inference from a log, decomposed and matched both ways. */
export async function inferPreference(one: Model, instance: Instance, log: string) {
  const preference = await inferText(one, instance, log);
  const checklist = await answered(one, 'decompose', { preferences: preference }, checkChecklist);
  const predicted = await matchChecklist(one, instance.current_contextual_preference, checklist);
  const wanted = await matchChecklist(one, preference, instance.current_checklist);
  return { preference, checklist, predicted, wanted };
}

export function inferText(one: Model, instance: Instance, log: string): Promise<string> {
  return answered(
    one,
    'infer',
    { curr_request: instance.current_request, interaction_log: log },
    checkInference,
  );
}

export function matchChecklist(
  one: Model,
  preference: string,
  checklist: readonly string[],
): Promise<MatchLabel[]> {
  const values = { preference, checklist: renderChecklist(checklist), examples: 'Eight examples.' };
  return answered(one, 'match', values, (text) => checkMatch(text, checklist));
}

export async function judgeResponse(one: Model, instance: Instance, given: HistoryForm): Promise<number> {
  const asking = { curr_request: instance.current_request };
  const response = await answered(
    one,
    'respond',
    given === 'preference'
      ? { ...asking, preference: instance.current_contextual_preference }
      : { ...asking, interaction_log: await buildLog(one, instance, given) },
    checkText,
  );
  const judgement = await answered(one, 'judge', judgeValues(instance, response), checkJudgement);
  return judgement.score;
}

export function judgeValues(instance: Instance, response: string): Record<string, string> {
  return {
    user_request: instance.current_request,
    ai_response: response,
    preference: instance.current_contextual_preference,
    checklist: renderJudgeChecklist(instance.current_checklist),
  };
}

function classifyValues(instance: Instance, preference: string): Record<string, string> {
  return {
    curr_request: instance.current_request,
    context_factor: instance.current_context_factor,
    preference: instance.current_contextual_preference,
    inferred_preference: preference,
    session_preferences: renderSessionPreferences(instance.prior_interactions),
  };
}

export async function classifyError(one: Model, instance: Instance, preference: string) {
  const { type } = await answered(one, 'classify', classifyValues(instance, preference), checkErrorType);
  return type;
}

/** Builds a request of evaluation, with its temperature 0. */
export function buildRequest(step: Step, values: Record<string, string>) {
  return { ...requestOf(step, values), temperature: 0 };
}

/** Returns the model's answer to a request of evaluation. */
export async function askText(one: Model, step: Step, values: Record<string, string>): Promise<string> {
  return (await ask(one, buildRequest(step, values))).text;
}

async function answered<T>(
  one: Model,
  step: Step,
  values: Record<string, string>,
  check: (text: string) => CheckResult<T>,
): Promise<T> {
  return requireAccepted(check(await askText(one, step, values)));
}

async function instancesOfPersona(one: Model, id: number): Promise<Instance[]> {
  const { description, occupation, factors, journey, checklists } = await synthesizePersona(one, id);
  const sessions = journey.sessions.map((session) => ({
    ...session,
    checklist: checklists.get(session.preference) ?? [],
  }));
  const interactions = [];
  for (const session of sessions.slice(0, -1)) {
    const { checklist, preference, id: sessionId } = session;
    const { messages, turns } = await askDialogue(one, { description, session, checklist });
    interactions.push({
      session_id: sessionId,
      preference,
      checklist,
      chat: [...messages],
      is_satisfied: turns.at(-1)?.decision === 'END',
    });
  }
  const record = {
    persona_id: `${id}+${occupation}`,
    persona: { ...sampleTemplate(id), description, occupation },
    context_factors: factors,
    sessions,
    interactions,
  };
  return splitInstances(record, 42).map(({ instance }) => instance);
}
