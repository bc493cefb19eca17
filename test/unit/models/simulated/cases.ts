import { renderInteractionLog, renderJudgeChecklist } from '../../../../data/prompts/evaluation-values';
import { renderChecklist, renderTemplates } from '../../../../data/prompts/values';
import type { ModelRequest } from '../../../../models/model';
import { checkErrorType } from '../../../../rules/answers/evaluation/error-type';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import { checkJudgement } from '../../../../rules/answers/evaluation/judgement';
import { checkMatch } from '../../../../rules/answers/evaluation/match';
import { checkSummary } from '../../../../rules/answers/evaluation/summary';
import { checkText, type CheckResult } from '../../../../rules/answers/form/checks';
import { checkChecklist } from '../../../../rules/answers/synthesis/checklist';
import { checkDescriptions } from '../../../../rules/answers/synthesis/describe';
import { checkAssistantTurn, checkUserTurn } from '../../../../rules/answers/synthesis/dialogue';
import { checkFactors } from '../../../../rules/answers/synthesis/factors';
import { checkJourney } from '../../../../rules/answers/synthesis/journey';
import { buildUserSimulatorHistory } from '../../../../rules/dialogue/messages';
import type { ContextFactor } from '../../../../schemas/dataset/factor';
import { buildJourneyRequest, requestOf, sampleTemplate, synthesizePersona, openSimulated } from './persona';

/** A request of a step, with the check of its answers. */
export interface StepCase {
  readonly request: ModelRequest;
  readonly check: (text: string) => CheckResult<unknown>;
}

/** Lists a request of each step of synthesis, about a synthesized persona. */
export async function listSynthesisCases(): Promise<StepCase[]> {
  const { description, factors, structure } = await synthesizePersona(openSimulated(), 5);
  const { factor = '', preference = '' }: Partial<ContextFactor> = factors.at(-2) ?? {};
  const opening = 'Please plan the season with me.';
  const checklist = ['Does the answer number every step?', 'Does the answer include one dry joke?'];
  const values = {
    user_profile: description,
    context_factor: factor,
    preference,
    checklist: renderChecklist(checklist),
  };
  const history = buildUserSimulatorHistory(opening, [{ assistant: 'Here is a plan.' }]);
  const templates = renderTemplates([sampleTemplate(1), sampleTemplate(2)]);
  return [
    {
      request: requestOf('describe', { seed_descriptions: templates }),
      check: (text) => checkDescriptions(text, { count: 2, quality: 'strict' }),
    },
    {
      request: requestOf('factors', { n_factors: '8', user_persona: description }),
      check: (text) => checkFactors(text, { nFactors: 8, quality: 'strict' }),
    },
    {
      request: buildJourneyRequest(description, factors, structure),
      check: (text) => checkJourney(text, { structure, factors, quality: 'strict' }),
    },
    { request: requestOf('checklist', { preferences: preference }), check: checkChecklist },
    { request: requestOf('user', values, history), check: checkUserTurn },
    { request: requestOf('assistant', {}, [{ role: 'user', content: opening }]), check: checkAssistantTurn },
  ];
}

/** Texts that requests of an evaluation are about. */
export interface EvaluatedTexts {
  readonly request: string;
  readonly response: string;
  readonly factor: string;
  readonly preference: string;
  readonly checklist: readonly string[];
}

export const BOATHOUSE: EvaluatedTexts = {
  request: 'Plan a week for the Boathouse.',
  response: 'Here is the week.',
  factor: 'the Boathouse',
  preference: 'Answers must number every step and skip any greeting or introduction.',
  checklist: ['Does the answer number every step?', 'Does the answer greet nobody?', 'Is it short?'],
};

/** Lists requests of the steps of an evaluation. */
export function listEvaluationCases(texts: EvaluatedTexts = BOATHOUSE): StepCase[] {
  const { request, response, factor, preference, checklist } = texts;
  const log = renderInteractionLog(
    [1, 2, 3].map((number) => ({
      context_factor: factor,
      contextual_preference: preference,
      dialogue: [
        { role: 'user' as const, content: `Help me with day ${number} at ${factor}.` },
        { role: 'assistant' as const, content: response },
        { role: 'user' as const, content: 'The language is too casual. Could it be more professional?' },
      ],
    })),
  );
  const asking = { curr_request: request };
  const matching = { preference, checklist: renderChecklist(checklist) };
  const judging = { user_request: request, ai_response: response, preference };
  const inferred = { preference, inferred_preference: response };
  const one = checklist.slice(0, 1);
  return [
    { request: requestOf('summarize', { interaction_log: log }), check: (text) => checkSummary(text, 3) },
    { request: requestOf('infer', { ...asking, interaction_log: log }), check: checkInference },
    { request: requestOf('respond', { ...asking, interaction_log: log }), check: checkText },
    { request: requestOf('respond', { ...asking, preference }), check: checkText },
    { request: requestOf('decompose', { preferences: preference }), check: checkChecklist },
    {
      request: requestOf('match', { ...matching, examples: 'Examples.' }),
      check: (text) => checkMatch(text, checklist),
    },
    { request: requestOf('match', matching), check: (text) => checkMatch(text, checklist) },
    {
      request: requestOf('match', { preference, checklist: renderChecklist(one) }),
      check: (text) => checkMatch(text, one),
    },
    {
      request: requestOf('judge', { ...judging, checklist: renderJudgeChecklist(checklist) }),
      check: checkJudgement,
    },
    {
      request: requestOf('classify', {
        ...asking,
        ...inferred,
        context_factor: factor,
        session_preferences: `- ${factor}: ${preference}`,
      }),
      check: checkErrorType,
    },
  ];
}
