import { sumAnswerTokens } from '../../../engine/costs/ledger';
import { buildStoredOpening } from '../../../rules/dialogue/messages';
import { listSelectedItems } from '../../../rules/dialogue/ending';
import {
  buildDialogueId,
  buildPersonaWorkflowId,
  buildRefKey,
  parseStepKey,
  type AnswerRef,
} from '../../../engine/journal/key';
import { countSeparations } from '../../../engine/journal/separations';
import { buildPersonaId } from '../../../rules/instances/persona-id';
import { listDistinctPreferences } from '../../../rules/journey/preferences';
import type { JournalEntry } from '../../../schemas/run/journal';
import type { Message } from '../../../schemas/dataset/message';
import type { Interaction, StoredPersona } from '../../../schemas/dataset/record';
import type { PlannedSession, Session } from '../../../schemas/dataset/session';
import { writePersona } from '../../../data/run/artifacts';
import { openRecordedCalls } from '../../../data/run/unanswered-calls';
import { getRevision } from '../../../engine/journal/revisions';
import { groupBy } from '../../../rules/group-by';
import { synthesizePersona } from '../../../rules/method/persona';
import { readScript, type RecordedAttempt } from '../../../rules/method/reader';
import type { Outcome } from '../../../rules/method/script';
import type { SynthesisAnswers } from '../../../rules/method/synthesis-answers';
import type { PersonaRefs, RecordRefs } from '../../../rules/method/synthesis-calls';
import type { Restart } from '../../../schemas/run/restart';
import type { SynthesisFiles, SynthesisWorld } from '../inputs';
import { openAnswers } from '../make-calls';
import { ROLE_OF } from '../../../engine/model-facts/roles';
import { MODEL_ROLES, SYNTHESIS_STEPS, type SynthesisStep } from '../../../schemas/run/step';

/** The persona whose record is kept. */
export interface RecordInput extends PersonaRefs {
  readonly run: string;
  /** Absent for none. */
  readonly restarts?: readonly Restart[];
}

/** Puts a persona's record together from its answers in the journal, and keeps it in the artifact store. */
export async function keepRecord({ run }: SynthesisWorld, input: RecordInput): Promise<void> {
  const { persona: number, described, restarts } = input;
  const plan = { run: run.id, settings: run.settings, restarts };
  const answers = openAnswers(run);
  const entries = await run.journal.pack(listWorkflows(run, number));
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const recorded = {
    ...openRecordedCalls(run.store, run.journal),
    find: async (key: string) => byKey.get(key),
  };
  const read = async (followed: readonly Restart[] | undefined) =>
    readScript(
      synthesizePersona({ ...plan, restarts: followed }, { persona: number, described }),
      answers,
      recorded,
    );
  const { result: refs, attempts } = await read(restarts);
  if (refs === undefined) throw new Error(`The journal has not all answers of persona ${number}.`);
  const persona = await answers.readPersona(refs);
  const journey = await answers.readJourney(refs);
  const sessions = await withChecklists(answers, refs, journey.sessions);
  const disagreements: StoredPersona['disagreements'] = [];
  const selected: StoredPersona['selected'] = [];
  const scores: StoredPersona['scores'] = [];
  const interactions: Interaction[] = [];
  for (const [index, dialogue] of refs.dialogues.entries()) {
    const session = sessions[index];
    if (session === undefined)
      throw new Error(`There is a dialogue for session ${index + 1}, but no session.`);
    const place = { persona: number, session: session.id };
    const turns = await answers.readTurns(place, dialogue.turns);
    for (const [at, { user }] of turns.entries()) {
      if (user.disagrees) disagreements.push({ session: session.id, turn: at + 1 });
    }
    const items = new Set(turns.flatMap(({ user }) => listSelectedItems(user.selected)));
    selected.push({ session: session.id, items: [...items].toSorted((one, other) => one - other) });
    scores.push({ session: session.id, scores: turns.map(({ user }) => user.score) });
    const unjudged =
      dialogue.unjudged === undefined
        ? undefined
        : await answers.readAssistant(place, turns.length + 1, dialogue.unjudged);
    interactions.push({
      session_id: session.id,
      preference: session.preference,
      checklist: session.checklist,
      chat: buildChat(session, turns, unjudged),
      is_satisfied: unjudged === undefined,
    });
  }
  const models = await listOtherModels(run, refs, entries);
  const separated = countSeparatedAnswers(entries);
  const earlier = await Promise.all((restarts ?? []).map((_, at) => read((restarts ?? []).slice(0, at))));
  await writePersona(run.store, number, {
    record: {
      persona_id: buildPersonaId(persona.id, persona.occupation),
      persona,
      context_factors: await answers.readFactors(refs),
      sessions,
      interactions,
    },
    workflow_id: buildPersonaWorkflowId(run.id, number),
    ...getRevision(restarts, number),
    ...(Object.keys(models).length === 0 ? {} : { models }),
    disagreements,
    selected,
    scores,
    answered_by: [...new Set(entries.map((entry) => entry.answer.model))].toSorted(),
    code_version: run.codeVersion,
    calls: entries.length,
    bad_answers: countBadAnswers([attempts, ...earlier.map((one) => one.attempts)].flat()),
    ...(separated === 0 ? {} : { separated_answers: separated }),
    input_tokens: sumAnswerTokens(entries, 'input'),
    output_tokens: sumAnswerTokens(entries, 'output'),
  });
}

/**
 * Counts the answers that nothing could be made of: of each call all but the one that was usable. An answer that a restart has superseded
 * was no bad one.
 * @param attempts those of the persona, and of its work before each restart
 */
function countBadAnswers(attempts: readonly RecordedAttempt[]): number {
  const answered = attempts.filter(({ entry }) => entry !== undefined);
  const byKey = new Map(answered.map((one) => [one.entry?.key, one]));
  const calls = groupBy([...byKey.values()], ({ entry }) => entry?.key.replace(/\.a\d+$/, ''));
  return [...calls.values()].reduce(
    (sum, own) => sum + own.length - (own.some(({ outcome }) => isUsable(outcome)) ? 1 : 0),
    0,
  );
}

function isUsable({ state }: Outcome): boolean {
  return state === 'good' || state === 'doubtful';
}

function countSeparatedAnswers(entries: readonly JournalEntry[]): number {
  return entries.filter(({ key, answer }) => {
    const step = parseStepKey(key, SYNTHESIS_STEPS)?.step;
    return step !== undefined && countSeparations(step, answer).separated !== undefined;
  }).length;
}

async function withChecklists(
  answers: SynthesisAnswers,
  input: RecordRefs,
  sessions: readonly PlannedSession[],
): Promise<Session[]> {
  const checklists = new Map<string, string[]>();
  for (const [at, preference] of listDistinctPreferences(sessions).entries()) {
    const ref = input.checklists[at];
    if (ref === undefined) throw new Error(`Preference "${preference}" has no checklist.`);
    checklists.set(preference, await answers.readChecklist(input, { index: at + 1, ref }));
  }
  return sessions.map((session) => ({ ...session, checklist: checklists.get(session.preference) ?? [] }));
}

function buildChat(
  session: PlannedSession,
  turns: readonly { assistant: string; user: { message: string } }[],
  unjudged: string | undefined,
): Message[] {
  return [
    // Sent as it is, stored stripped, as in the reference.
    { role: 'user', content: buildStoredOpening(session) },
    ...turns.flatMap(({ assistant, user }): Message[] => [
      { role: 'assistant', content: assistant },
      { role: 'user', content: user.message },
    ]),
    ...(unjudged === undefined ? [] : [{ role: 'assistant' as const, content: unjudged }]),
  ];
}

/** What a persona's journal entries belong to: itself, and its dialogues. */
function listWorkflows({ id, settings }: SynthesisFiles, persona: number): string[] {
  const sessions = Array.from({ length: settings.nSessions - 1 }, (_, index) => index + 1);
  return [
    buildPersonaWorkflowId(id, persona),
    ...sessions.map((session) => buildDialogueId(id, persona, session)),
  ];
}

/**
 * By role, who gave the answers that a record is made of, where that is not the settings' model alone.
 * @param entries those of the persona and of its dialogues
 */
async function listOtherModels(
  run: SynthesisFiles,
  refs: RecordRefs,
  entries: readonly JournalEntry[],
): Promise<NonNullable<StoredPersona['models']>> {
  const { first, ref } = refs.described;
  const descriptions =
    run.seeds.origin === 'personas'
      ? []
      : [await run.journal.get(buildRefKey(run.id, 'describe', first, ref))];
  const specs = new Map([...descriptions, ...entries].map(({ key, spec }) => [key, spec]));
  const answers = listAnswers(run.id, refs);
  const models: NonNullable<StoredPersona['models']> = {};
  for (const role of MODEL_ROLES) {
    const usual = run.settings.models[role];
    const asked = answers
      .filter(({ step }) => ROLE_OF[step] === role)
      .flatMap(({ key }) => specs.get(key) ?? []);
    if (asked.some((spec) => spec !== usual)) models[role] = [...new Set(asked)];
  }
  return models;
}

/** The keys of the answers that a record is made of, in the order they were asked for, session by session. */
function listAnswers(run: string, refs: RecordRefs): { step: SynthesisStep; key: string }[] {
  const workflowId = buildPersonaWorkflowId(run, refs.persona);
  const { described, factors, journey, checklists, dialogues } = refs;
  return [
    keyAnswer(run, 'describe', described.first, described.ref),
    keyAnswer(workflowId, 'factors', 0, factors),
    keyAnswer(workflowId, 'journey', 0, journey),
    ...checklists.map((ref, at) => keyAnswer(workflowId, 'checklist', at + 1, ref)),
    ...dialogues.flatMap(({ turns, unjudged }, at) => {
      const dialogue = buildDialogueId(run, refs.persona, at + 1);
      return [
        ...turns.flatMap(([assistant, user], index) => [
          keyAnswer(dialogue, 'assistant', index + 1, assistant),
          keyAnswer(dialogue, 'user', index + 1, user),
        ]),
        ...(unjudged === undefined ? [] : [keyAnswer(dialogue, 'assistant', turns.length + 1, unjudged)]),
      ];
    }),
  ];
}

function keyAnswer(workflowId: string, step: SynthesisStep, turn: number, ref: AnswerRef) {
  return { step, key: buildRefKey(workflowId, step, turn, ref) };
}
