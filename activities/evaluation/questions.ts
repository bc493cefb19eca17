import { isDeepStrictEqual } from 'node:util';
import { ApplicationFailure } from '@temporalio/activity';
import { hashText } from '../../data/store/files';
import {
  EMPTY_LOG,
  renderInteractionLog,
  renderJudgeChecklist,
  renderMatcherExamples,
  renderSessionPreferences,
  renderSummaryLog,
} from '../../data/prompts/evaluation-values';
import { renderChecklist } from '../../data/prompts/values';
import { renderExpressionQuestions, renderPairs } from '../../data/prompts/verification-values';
import { deriveSeedPlace } from '../../engine/journal/revisions';
import { buildTrialId, type TrialKey } from '../../engine/journal/key';
import { findRightOption, renderOptions } from '../../rules/choice/options';
import { findShownSessions } from '../../rules/instances/shown-sessions';
import type { EvaluationAnswers } from '../../rules/method/evaluation-answers';
import { NO_OPTIONS, type HistoryRefs } from '../../rules/method/evaluation-calls';
import type { EvaluationCall, EvaluationCallOf } from '../../rules/method/evaluation-rules';
import { replaySessions } from '../../rules/instances/replay';
import type { Recall } from '../../schemas/evaluation/memory';
import { readShownRow } from '../../rules/method/trial-subject';
import { getContextForm, getHistoryTier } from '../../schemas/evaluation/context';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import { cutToTokens } from '../../rules/statistics/tokens';
import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import type { Matcher } from '../../schemas/evaluation/evaluation';
import { formatModelName } from '../../schemas/model/model-spec';
import { buildPromptQuestion, type Question, type QuestionContent } from '../ask-model';
import { buildHistoryHint, buildSystemHint } from '../cache-hints';
import type { EvaluationFiles } from './inputs';

type PromptQuestion = ReturnType<typeof buildPromptQuestion>;

/** Basis of an evaluation's requests. */
interface EvaluationBasis {
  readonly run: EvaluationFiles;
  readonly answers: EvaluationAnswers;
}

/** Builds the question of a call of evaluation: its prompt, from the answers that it refers to, and the rules for its answers. */
export async function buildQuestion(basis: EvaluationBasis, call: EvaluationCall): Promise<Question> {
  const { run, answers } = basis;
  return {
    spec: call.spec,
    limits: run.settings.steps[call.step],
    place: deriveSeedPlace(await getSeedPlace(run, call), call.revision),
    rules: await answers.rulesOf(call),
    ...(await buildMessages(basis, call)),
  };
}

/**
 * Returns a call's part of the seed, unique in any folder and row, so that a model gives the same answers alone and beside others. For a
 * persona that is verified twice, it differs each time.
 */
async function getSeedPlace(
  run: EvaluationFiles,
  call: EvaluationCall,
): Promise<readonly (string | number)[]> {
  if ('pair' in call) return ['pair', call.pair.id];
  if ('verified' in call) {
    const { rows, round } = call.verified;
    return ['verify', (await run.instance(rows[0] ?? 0)).instance.persona_id, round];
  }
  const { instance, model, context } = call.trial;
  const { persona_id, instance_type } = (await run.instance(instance)).instance;
  return [persona_id, instance_type, context, formatModelName(run.inputs.models[model - 1] ?? '')];
}

async function buildMessages(basis: EvaluationBasis, call: EvaluationCall): Promise<QuestionContent> {
  if (call.step === 'summarize') return buildSummary(basis, call);
  if (call.step === 'recall') return buildRecall(basis, call);
  if (call.step === 'infer') return buildInference(basis, call);
  if (call.step === 'choose') return buildChoice(basis, call);
  if (call.step === 'decompose') return buildDecomposition(basis, call);
  if (call.step === 'match') return buildMatch(basis, call);
  if (call.step === 'respond') return buildResponse(basis, call);
  if (call.step === 'judge') return buildJudgement(basis, call);
  if (call.step === 'classify') return buildErrorType(basis, call);
  return buildVerification(basis, call);
}

/** Asks the model under test to summarize the whole log in one call, session by session (paper, figure 23). */
async function buildSummary(
  { run }: EvaluationBasis,
  { trial }: EvaluationCallOf<'summarize'>,
): Promise<QuestionContent> {
  const { prior_interactions: sessions } = await readShownInstance(run, trial);
  const values = { interaction_log: renderInteractionLog(sessions) };
  return { ...buildPromptQuestion(run, 'evaluation/interaction_summarizer', values), form: 'chat' };
}

/** Gives a memory system the sessions of the history, without what they are about, and asks it with the request. */
async function buildRecall(
  { run }: EvaluationBasis,
  { trial }: EvaluationCallOf<'recall'>,
): Promise<QuestionContent> {
  const instance = await readShownInstance(run, trial);
  const recall: Recall = {
    // Opaque, and of this trial alone, so that nothing is remembered from another row.
    user: hashText(buildTrialId(run.id, trial)).slice(0, 16),
    sessions: replaySessions(instance),
    request: instance.current_request,
    budget: getMemoryBudget(run),
  };
  const messages = [{ role: 'user', content: JSON.stringify(recall) } as const];
  return { form: 'chat', system: '', messages, values: {}, includesReason: false };
}

function getMemoryBudget({ inputs: { memory } }: EvaluationFiles): number {
  if (memory === undefined) throw new OutdatedPlan('This evaluation names no memory system.');
  return memory.budgetTokens;
}

/** Asks the model under test to infer the preference of the current request from the history (paper, figure 21). */
async function buildInference(
  basis: EvaluationBasis,
  call: EvaluationCallOf<'infer'>,
): Promise<QuestionContent> {
  const { run } = basis;
  const { sessions, values } = await readShownHistory(basis, call);
  const prompt = buildPromptQuestion(run, 'evaluation/preference_inferrer', values);
  // In the reference's form for a model under test, with the system prompt in the system role.
  return { ...prompt, form: 'chat', ...(await buildHistoryCache(run, call, prompt, sessions)) };
}

/**
 * Asks the model under test to choose the preference of the current request among those of its persona's rows.
 * @throws ApplicationFailure if the data set does not show enough options
 */
async function buildChoice(
  basis: EvaluationBasis,
  call: EvaluationCallOf<'choose'>,
): Promise<QuestionContent> {
  const { run, answers } = basis;
  const { instance } = call.trial;
  const options = await answers.readOptions(call.trial);
  if (findRightOption(options, await readTrialInstance(run, call.trial)) === undefined) {
    throw ApplicationFailure.nonRetryable(
      `The data set shows too few different preferences in the rows of this persona to choose from (row ${instance}).`,
      NO_OPTIONS,
    );
  }
  const { sessions, values } = await readShownHistory(basis, call);
  const prompt = buildPromptQuestion(run, 'evaluation/preference_chooser', {
    ...values,
    options: renderOptions(options),
  });
  return { ...prompt, form: 'chat', ...(await buildHistoryCache(run, call, prompt, sessions)) };
}

/** Asks a model to decompose an inferred preference into a checklist, like the true one (paper, 2.3). */
async function buildDecomposition(
  { run, answers }: EvaluationBasis,
  call: EvaluationCallOf<'decompose'>,
): Promise<QuestionContent> {
  const values = { preferences: await answers.readInference(call) };
  return { ...buildPromptQuestion(run, 'synthesis/preference_decomposer', values), seedTurn: 'decomposed' };
}

/**
 * Asks a matcher to label how far each entry of one checklist is covered by the other preference (paper, 2.3 and figure 14). Used as well
 * for pairs that people have labeled (A.1), and for what a request reveals, which may be a paraphrase without common words.
 */
async function buildMatch(
  { run, answers }: EvaluationBasis,
  call: EvaluationCallOf<'match'>,
): Promise<QuestionContent> {
  if (call.of === 'pair') {
    const { matcher } = call.pair;
    const { preference, checklist } = await run.pair(call.pair.id);
    return { ...renderMatchPrompt(run, matcher.form, preference, checklist), seedTurn: matcher.form };
  }
  if (call.of === 'guess') {
    const { checklist } = await answers.readGuessQuestion(call.verified, call.turn);
    const guess = await answers.readGuess(call.verified, call.turn, call.guess);
    return renderMatchPrompt(run, 'evaluator', guess, checklist);
  }
  const [preference, checklist] = await answers.readMatched(call);
  const { form } = call.matcher;
  return { ...renderMatchPrompt(run, form, preference, checklist), seedTurn: `${form} ${call.list}` };
}

/** Renders a matcher's prompt: with worked examples for any model, without for PrefMatcher, which was trained on its own form. */
function renderMatchPrompt(
  run: EvaluationFiles,
  form: Matcher['form'],
  preference: string,
  checklist: readonly string[],
): QuestionContent {
  const values = { preference, checklist: renderChecklist(checklist) };
  if (form === 'prefmatcher') return buildPromptQuestion(run, 'evaluation/preference_matcher_model', values);
  const constants = { examples: renderMatcherExamples(run.prompts.matcherExamples ?? []) };
  const cache = buildSystemHint([run.id, 'match'], run.prompts, 'evaluation/preference_matcher', constants);
  return {
    ...buildPromptQuestion(run, 'evaluation/preference_matcher', { ...values, ...constants }),
    ...(cache === undefined ? {} : { cache }),
  };
}

/**
 * Asks the model under test to answer the current request with the history in mind (paper, figure 22); in the oracle preference setting,
 * with the true preference instead.
 */
async function buildResponse(
  basis: EvaluationBasis,
  call: EvaluationCallOf<'respond'>,
): Promise<QuestionContent> {
  const { run } = basis;
  const { current_contextual_preference: preference } = await readTrialInstance(run, call.trial);
  const { sessions, values } = await readShownHistory(basis, call);
  const { curr_request } = values;
  const prompt =
    call.trial.context === 'preference'
      ? buildPromptQuestion(run, 'evaluation/response_generator_with_preference', {
          curr_request,
          preference,
        })
      : buildPromptQuestion(run, 'evaluation/response_generator', values);
  return {
    ...prompt,
    form: 'chat',
    // The whole answer is judged, and a model that had been shown an earlier one might refer to it.
    includesReason: false,
    ...(await buildHistoryCache(run, call, prompt, sessions)),
  };
}

/**
 * Asks a judge to score how far a response satisfies the true preference, from 1 to 10 (paper, 2.3 and figure 16). In studies, the preference is
 * that of another row with the same request, or of the contrastive context.
 */
async function buildJudgement(
  { run, answers }: EvaluationBasis,
  call: EvaluationCallOf<'judge'>,
): Promise<QuestionContent> {
  const { trial, target, repetition } = call;
  const instance = await readTrialInstance(
    run,
    typeof target === 'number' ? { ...trial, instance: target } : trial,
  );
  const { current_request, current_contextual_preference, current_checklist } = instance;
  const preference =
    target === 'contrastive' ? await readContrastive(answers, trial) : current_contextual_preference;
  const values = {
    user_request: current_request,
    ai_response: await answers.readResponse(call),
    preference,
    // The data have no checklist of a preference that no request tests.
    checklist: renderJudgeChecklist(target === 'contrastive' ? [preference] : current_checklist),
  };
  const seedTurn = target === undefined ? repetition : typeof target === 'number' ? 'crossed' : 'misapplied';
  return { ...buildPromptQuestion(run, 'evaluation/response_judger', values), seedTurn };
}

/** Asks a model which of the four kinds of error an inference made (paper, table 2). */
async function buildErrorType(
  { run, answers }: EvaluationBasis,
  call: EvaluationCallOf<'classify'>,
): Promise<QuestionContent> {
  const instance = await readShownInstance(run, call.trial);
  const values = {
    curr_request: instance.current_request,
    context_factor: instance.current_context_factor,
    preference: instance.current_contextual_preference,
    inferred_preference: await answers.readInference(call),
    session_preferences: renderSessionPreferences(instance.prior_interactions),
  };
  return { ...buildPromptQuestion(run, 'evaluation/error_classifier', values), seedTurn: 'classified' };
}

/**
 * Asks a model one of the questions of a verification: which user's messages express each preference of a persona (paper, E and figure 20);
 * whether one response could satisfy both preferences of each pair (3.1); or what the current request alone reveals of the expected
 * response (3.2).
 */
async function buildVerification(
  { run, answers }: EvaluationBasis,
  call: EvaluationCallOf<'express' | 'contradict' | 'guess'>,
): Promise<QuestionContent> {
  if (call.step === 'guess') {
    const { request } = await answers.readGuessQuestion(call.verified, call.turn);
    return buildPromptQuestion(run, 'verification/request_guesser', { curr_request: request });
  }
  const { expressions, contradictions } = await answers.readQuestions(call.verified);
  return call.step === 'express'
    ? buildPromptQuestion(run, 'verification/expression_finder', renderExpressionQuestions(expressions))
    : buildPromptQuestion(run, 'verification/contradiction_finder', { pairs: renderPairs(contradictions) });
}

async function readTrialInstance(run: EvaluationFiles, { instance }: TrialKey): Promise<Instance> {
  return (await run.instance(instance)).instance;
}

/** Reads the instance of a trial with the history that its context shows, which may be built for each call. */
async function readShownInstance(run: EvaluationFiles, trial: TrialKey): Promise<Instance> {
  return (await readShownRow(run, trial)).instance;
}

async function readContrastive(answers: EvaluationAnswers, trial: TrialKey): Promise<string> {
  const options = await answers.readOptions(trial);
  const contrastive = options.find(({ kind }) => kind === 'contrastive');
  if (contrastive === undefined)
    throw new Error('The rows of a persona do not show its contrastive preference.');
  return contrastive.preference;
}

/** Reads the sessions of a trial, and builds the values of the current request, and of the history as the model under test sees it. */
async function readShownHistory(basis: EvaluationBasis, refs: HistoryRefs) {
  const instance = await readShownInstance(basis.run, refs.trial);
  return {
    sessions: instance.prior_interactions,
    values: {
      curr_request: instance.current_request,
      interaction_log: await renderHistory(basis, refs, instance),
    },
  };
}

async function renderHistory(
  { run, answers }: EvaluationBasis,
  refs: HistoryRefs,
  instance: Instance,
): Promise<string> {
  const form = getContextForm(refs.trial.context);
  const sessions = findShownSessions(instance, form);
  if (sessions !== undefined) return renderInteractionLog(sessions);
  if (form === 'summary') return renderSummaryLog(await answers.readSummaries(refs));
  const recalled = cutToTokens(await answers.readMemory(refs), getMemoryBudget(run));
  return recalled.trim() === '' ? EMPTY_LOG : recalled;
}

/**
 * Builds the cache hint of a request with a history that the trial shows in several requests, or that is extended: then the rows of its persona
 * begin alike, and are evaluated one after the other.
 */
async function buildHistoryCache(
  run: EvaluationFiles,
  { trial, isShared }: HistoryRefs,
  prompt: PromptQuestion,
  sessions: readonly PriorInteraction[],
): Promise<Pick<Question, 'cache'>> {
  const { instance, context } = trial;
  const isExtended = getContextForm(context) === 'full' && getHistoryTier(context) !== undefined;
  if (!isShared && !isExtended) return {};
  const rows = isExtended ? run.listPersonaRows(instance) : [instance];
  const beginnings: string[] = [];
  for (const row of rows) {
    if (row === instance) continue;
    const { prior_interactions } = await readShownInstance(run, { ...trial, instance: row });
    const count = countSharedSessions(sessions, prior_interactions);
    beginnings.push(`${renderInteractionLog(sessions.slice(0, count))}\n\n`);
  }
  const history = [run.id, rows[0] ?? instance, context];
  const cache = buildHistoryHint(history, run.prompts, prompt, { isRepeated: isShared, beginnings });
  return cache === undefined ? {} : { cache };
}

/** Counts the sessions with which both histories begin. */
function countSharedSessions(a: readonly PriorInteraction[], b: readonly PriorInteraction[]): number {
  const count = a.findIndex(({ dialogue }, at) => !isDeepStrictEqual(dialogue, b[at]?.dialogue));
  return count < 0 ? a.length : count;
}
