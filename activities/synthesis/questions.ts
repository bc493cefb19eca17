import { JOURNEY_PART_PROMPT } from '../../data/prompts/files';
import { renderLeadingText, renderPrompt } from '../../data/prompts/render';
import {
  NOT_CHANGED_YET,
  renderChecklist,
  renderEarlierSessions,
  renderFactorsYaml,
  renderStructure,
  renderTemplates,
} from '../../data/prompts/values';
import { deriveSeedPlace } from '../../engine/journal/revisions';
import { isLastAnswer, listSelectedItems } from '../../rules/dialogue/ending';
import {
  buildAssistantHistory,
  buildOpeningMessage,
  buildUserSimulatorHistory,
} from '../../rules/dialogue/messages';
import { listDistinctPreferences } from '../../rules/journey/preferences';
import type { SynthesisAnswers } from '../../rules/method/synthesis-answers';
import type { SynthesisCall } from '../../rules/method/synthesis-calls';
import { NO_RELATED_FACTOR } from '../../schemas/dataset/factor';
import { isTemplate } from '../../schemas/dataset/persona';
import { mapValues } from '../../schemas/map-values';
import { listJourneyParts } from '../../schemas/run/journey-parts';
import { buildPromptQuestion, type Question, type QuestionContent } from '../ask-model';
import { buildDialogueHint } from '../cache-hints';
import type { SynthesisFiles } from './inputs';

type SynthesisCallOf<S extends SynthesisCall['step']> = Extract<SynthesisCall, { readonly step: S }>;

/** Basis of a run's requests. */
interface SynthesisBasis {
  readonly run: Pick<SynthesisFiles, 'id' | 'settings' | 'prompts'>;
  readonly answers: SynthesisAnswers;
}

/** Builds the question of a call of synthesis: its prompt, from the answers that it refers to, and the rules for its answers. */
export async function buildQuestion(basis: SynthesisBasis, call: SynthesisCall): Promise<Question> {
  const { run, answers } = basis;
  return {
    spec: call.spec,
    limits: run.settings.steps[call.step],
    place: deriveSeedPlace(getSeedPlace(call), call.revision),
    rules: await answers.rulesOf(call),
    ...(await buildMessages(basis, call)),
  };
}

function getSeedPlace(call: SynthesisCall): readonly number[] {
  if (call.step === 'describe') return [];
  return 'session' in call ? [call.persona, call.session] : [call.persona];
}

async function buildMessages(basis: SynthesisBasis, call: SynthesisCall): Promise<QuestionContent> {
  if (call.step === 'describe') return buildDescription(basis, call);
  if (call.step === 'factors') return buildFactors(basis, call);
  if (call.step === 'journey') return buildJourney(basis, call);
  if (call.step === 'checklist') return buildChecklist(basis, call);
  if (call.step === 'assistant') return buildAssistantTurn(basis, call);
  return buildUserTurn(basis, call);
}

/** Asks a model to describe a batch of personas, in the order of their templates (paper, B.1). */
function buildDescription(
  { run, answers }: SynthesisBasis,
  { turn, count }: SynthesisCallOf<'describe'>,
): QuestionContent {
  const templates = Array.from({ length: count }, (_, index) => answers.getTemplate(turn + index));
  const values = { seed_descriptions: renderTemplates(templates.filter(isTemplate)) };
  return buildPromptQuestion(run, 'synthesis/persona_generator', values);
}

/** Asks a model for a persona's context factors, the contrastive pair last (paper, B.2). */
async function buildFactors(
  { run, answers }: SynthesisBasis,
  call: SynthesisCallOf<'factors'>,
): Promise<QuestionContent> {
  const persona = await answers.readPersona(call);
  const { nFactors, taxonomy } = run.settings;
  const values = {
    n_factors: String(nFactors),
    user_persona: persona.description,
    // The prompt already contains them; the simulated model reads only values.
    ...(taxonomy === undefined ? {} : mapValues(taxonomy, (types) => types.join('\n'))),
  };
  return buildPromptQuestion(run, 'synthesis/context_factors_generator', values);
}

/** Asks a model to plan a persona's chronological sessions, or a part of them, on the structure drawn for it (paper, B.3). */
async function buildJourney(
  basis: SynthesisBasis,
  call: SynthesisCallOf<'journey'>,
): Promise<QuestionContent> {
  const { run, answers } = basis;
  const persona = await answers.readPersona(call);
  const factors = await answers.readFactors(call);
  const structure = answers.getStructure(call.persona);
  const [first, second] = factors.filter((factor) => factor.related_factor !== NO_RELATED_FACTOR);
  const values = {
    n_sessions: String(structure.length),
    series_structure: renderStructure(structure),
    first_factor: first?.factor ?? '',
    second_factor: second?.factor ?? '',
    user_persona: persona.description,
    context_factors: renderFactorsYaml(factors),
  };
  const question = buildPromptQuestion(run, 'synthesis/sessions_generator', values);
  return call.turn === 0 ? question : joinQuestions(question, await buildJourneyPart(basis, call));
}

/** Says which part of a long journey is asked for, and what it continues from. */
async function buildJourneyPart({ run, answers }: SynthesisBasis, call: SynthesisCallOf<'journey'>) {
  const [a, b] = answers.getDrawnPair(call.persona, await answers.readFactors(call));
  const earlier = await answers.readSessions(call, call.earlier);
  const firstChanged = answers.getStructure(call.persona).indexOf("A'");
  const part = listJourneyParts(run.settings.nSessions).find(({ turn }) => turn === call.turn);
  return buildPromptQuestion(run, JOURNEY_PART_PROMPT, {
    factor_a: a.factor,
    factor_b: b.factor,
    changed_preference: earlier[firstChanged]?.preference ?? NOT_CHANGED_YET,
    earlier_sessions: renderEarlierSessions(earlier),
    first_session: String(part?.first),
    last_session: String(part?.last),
  });
}

/** Joins two rendered prompts: each text of the second follows that of the first. */
function joinQuestions<Content extends QuestionContent>(first: Content, second: Content): Content {
  const [message, addition] = [first, second].map(({ messages }) => messages[0]?.content ?? '');
  return {
    ...first,
    system: `${first.system}\n\n${second.system}`,
    messages: [{ role: 'user', content: `${message}\n\n${addition}` }],
    values: { ...first.values, ...second.values },
  };
}

/** Asks a model to decompose one of a journey's distinct preferences into a checklist (paper, 2.3). */
async function buildChecklist(
  { run, answers }: SynthesisBasis,
  call: SynthesisCallOf<'checklist'>,
): Promise<QuestionContent> {
  const journey = await answers.readJourney(call);
  const preference = listDistinctPreferences(journey.sessions)[call.turn - 1];
  if (preference === undefined) throw new Error(`The journey has no preference number ${call.turn}.`);
  return buildPromptQuestion(run, 'synthesis/preference_decomposer', { preferences: preference });
}

/** Asks the simulated assistant to continue the dialogue, of which it sees only the plain messages (paper, B.4). */
async function buildAssistantTurn(
  { run, answers }: SynthesisBasis,
  call: SynthesisCallOf<'assistant'>,
): Promise<QuestionContent> {
  const session = await answers.readSession(call);
  const turns = await answers.readTurns(call, call.turns);
  const { system } = renderPrompt(run.prompts, 'synthesis/assistant_simulator', {});
  const messages = buildAssistantHistory(
    buildOpeningMessage(session),
    turns.map(({ assistant, user }) => ({ assistant, user: user.message })),
  );
  const replies = turns.map(({ user }) => ({ ...user, selected: listSelectedItems(user.selected) }));
  return {
    form: 'chat',
    system,
    messages,
    values: {},
    // The whole answer goes into the data, and a model that was shown an earlier one might refer to it.
    includesReason: false,
    cache: buildDialogueHint([run.id, call.persona, call.session, 'assistant'], messages, {
      constant: system,
      goesOn: !isLastAnswer(run.settings, replies),
    }),
  };
}

/** Asks the simulated user to score the assistant's last answer and reply (paper, B.4 and figure 19). */
async function buildUserTurn(
  { run, answers }: SynthesisBasis,
  call: SynthesisCallOf<'user'>,
): Promise<QuestionContent> {
  const persona = await answers.readPersona(call);
  const session = await answers.readSession(call);
  const checklist = await answers.readChecklist(call, call.checklist);
  const turns = await answers.readTurns(call, call.turns);
  const answer = await answers.readAssistant(call, call.turn, call.answer);
  const values = {
    user_profile: persona.description,
    context_factor: session.context_factor,
    preference: session.preference,
    checklist: renderChecklist(checklist),
  };
  const { system } = renderPrompt(run.prompts, 'synthesis/user_simulator', values);
  const messages = buildUserSimulatorHistory(buildOpeningMessage(session), [
    ...turns.map(({ assistant, user }) => ({ assistant, user: user.text })),
    { assistant: answer },
  ]);
  return {
    form: 'chat',
    system,
    messages,
    values,
    includesReason: true,
    cache: buildDialogueHint([run.id, call.persona, call.session, 'user'], messages, {
      constant: renderLeadingText(run.prompts.prompts['synthesis/user_simulator']?.system_prompt ?? ''),
      // The answer to the last message within the limit is not judged.
      goesOn: call.turn < run.settings.maxTurns - 1,
    }),
  };
}
