import {
  EMPTY_LOG,
  renderInteractionLog,
  renderJudgeChecklist,
  renderMatcherExamples,
  renderSessionPreferences,
} from '../../data/prompts/evaluation-values';
import type { PromptName } from '../../data/prompts/files';
import { renderChecklist } from '../../data/prompts/values';
import { renderExpressionQuestions, renderPairs } from '../../data/prompts/verification-values';
import { readStoredRows } from '../../data/run/evaluation-plan';
import type { TrialKey } from '../../engine/journal/key';
import { renderOptions } from '../../rules/choice/options';
import { findShownSessions } from '../../rules/instances/shown-sessions';
import type { EvaluationCall } from '../../rules/method/evaluation-rules';
import { readOptions, readShownRow } from '../../rules/method/trial-subject';
import { getGuessQuestion, listPersonaQuestions } from '../../rules/method/verification-questions';
import { getContextForm } from '../../schemas/evaluation/context';
import { getAnswerForm, STEP_FACTS } from '../../schemas/run/step';
import { countPromptCharacters } from '../estimate/prompt-length';
import type { StoredEvaluation } from './outcomes';

/** Characters of a token of English text. */
const CHARACTERS = 4;

/** Characters of an inferred preference, and of the checklist that a model makes of it (paper, 3.3: 18.4 tokens, and 2.9 items). */
const INFERRED = { preference: 18.4 * CHARACTERS, checklist: 2.9 * 14 * CHARACTERS } as const;

/**
 * Creates a function that returns the tokens of a call's request, before it can be built. It has the texts of the data, and answers of earlier calls
 * are as long as usual.
 */
export function createRequestMeter(evaluation: StoredEvaluation): (call: EvaluationCall) => Promise<number> {
  const { prompts, inputs } = evaluation;
  const constants = new Map<PromptName, number>();
  const measurePrompt = (name: PromptName): number => {
    const cached = constants.get(name);
    if (cached !== undefined) return cached;
    const examples =
      name === 'evaluation/preference_matcher' ? renderMatcherExamples(prompts.matcherExamples ?? []) : '';
    const length = countPromptCharacters(prompts, name) + examples.length;
    constants.set(name, length);
    return length;
  };
  const readShownInstance = async (trial: TrialKey) => (await readShownRow(evaluation, trial)).instance;
  const measureHistory = async (trial: TrialKey): Promise<number> => {
    const form = getContextForm(trial.context);
    const instance = await readShownInstance(trial);
    const sessions = findShownSessions(instance, form);
    if (sessions !== undefined) return renderInteractionLog(sessions).length;
    const tokens =
      form === 'memory' ? (inputs.memory?.budgetTokens ?? 0) : STEP_FACTS.summarize.typicalOutput;
    return Math.max(EMPTY_LOG.length, tokens * CHARACTERS);
  };
  const measureMatch = (form: 'evaluator' | 'prefmatcher', preference: number, checklist: number): number =>
    measurePrompt(
      form === 'prefmatcher' ? 'evaluation/preference_matcher_model' : 'evaluation/preference_matcher',
    ) +
    preference +
    checklist;

  const measureOfTrial = async (
    call: Exclude<EvaluationCall, { readonly verified: unknown }>,
  ): Promise<number> => {
    // A memory system reads no tokens of a model.
    if (call.step === 'recall') return 0;
    if (call.step === 'match' && call.of === 'pair') {
      const { preference, checklist } = await evaluation.pair(call.pair.id);
      return measureMatch(call.pair.matcher.form, preference.length, renderChecklist(checklist).length);
    }
    const { trial, step } = call;
    const { instance } = await evaluation.instance(trial.instance);
    const { current_request: request, current_contextual_preference: preference } = instance;
    const measureHistoryPrompt = async (name: PromptName) =>
      measurePrompt(name) + (await measureHistory(trial)) + request.length;
    if (step === 'summarize') {
      const { prior_interactions: sessions } = await readShownInstance(trial);
      return measurePrompt('evaluation/interaction_summarizer') + renderInteractionLog(sessions).length;
    }
    if (step === 'infer') return measureHistoryPrompt('evaluation/preference_inferrer');
    if (step === 'choose') {
      const options = renderOptions(await readOptions(evaluation, trial.instance));
      return (await measureHistoryPrompt('evaluation/preference_chooser')) + options.length;
    }
    if (step === 'respond' && trial.context === 'preference') {
      const prompt = measurePrompt('evaluation/response_generator_with_preference');
      return prompt + request.length + preference.length;
    }
    if (step === 'respond') return measureHistoryPrompt('evaluation/response_generator');
    if (call.step === 'match') {
      const checklist = renderChecklist(instance.current_checklist);
      return call.list === 'inferred'
        ? measureMatch(call.matcher.form, preference.length, INFERRED.checklist)
        : measureMatch(call.matcher.form, INFERRED.preference, checklist.length);
    }
    if (step === 'judge') {
      const values = [request, preference, renderJudgeChecklist(instance.current_checklist)].join('').length;
      return (
        measurePrompt('evaluation/response_judger') + values + STEP_FACTS.respond.typicalOutput * CHARACTERS
      );
    }
    if (getAnswerForm(step) === 'checklist')
      return measurePrompt('synthesis/preference_decomposer') + INFERRED.preference;
    const { prior_interactions: sessions } = await readShownInstance(trial);
    const values = [request, instance.current_context_factor, preference, renderSessionPreferences(sessions)];
    return measurePrompt('evaluation/error_classifier') + values.join('').length + INFERRED.preference;
  };

  const measureOfVerification = async (
    call: Extract<EvaluationCall, { readonly verified: unknown }>,
  ): Promise<number> => {
    const questions = listPersonaQuestions(await readStoredRows(evaluation, call.verified.rows));
    if (call.step === 'express') {
      const values = Object.values(renderExpressionQuestions(questions.expressions));
      return measurePrompt('verification/expression_finder') + values.join('').length;
    }
    if (call.step === 'contradict') {
      const pairs = renderPairs(questions.contradictions);
      return measurePrompt('verification/contradiction_finder') + pairs.length;
    }
    const { request, checklist } = getGuessQuestion(questions, call.turn);
    if (call.step === 'guess') return measurePrompt('verification/request_guesser') + request.length;
    return measureMatch(
      'evaluator',
      STEP_FACTS.guess.typicalOutput * CHARACTERS,
      renderChecklist(checklist).length,
    );
  };

  return async (call) =>
    Math.ceil((await ('verified' in call ? measureOfVerification(call) : measureOfTrial(call))) / CHARACTERS);
}
