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
import { countBadAnswers } from './count-answers';
import type { RecordRefs, SynthesisFiles, SynthesisWorld } from '../inputs';
import { readAssistant, readChecklist, readFactors, readJourney, readPersona, readTurns } from '../read-run';
import { ROLE_OF } from '../../../engine/model-facts/roles';
import { MODEL_ROLES, SYNTHESIS_STEPS, type SynthesisStep } from '../../../schemas/run/step';

/** Puts a persona's record together from the answers the references name, and keeps it in the artifact store. */
export async function keepRecord({ run }: SynthesisWorld, input: RecordRefs): Promise<void> {
  const persona = await readPersona(run, input);
  const journey = await readJourney(run, input);
  const sessions = await withChecklists(run, input, journey.sessions);
  const disagreements: StoredPersona['disagreements'] = [];
  const selected: StoredPersona['selected'] = [];
  const scores: StoredPersona['scores'] = [];
  const interactions: Interaction[] = [];
  for (const [index, dialogue] of input.dialogues.entries()) {
    const session = sessions[index];
    if (session === undefined)
      throw new Error(`There is a dialogue for session ${index + 1}, but no session.`);
    const place = { persona: input.persona, session: session.id };
    const turns = await readTurns(run, place, dialogue.turns);
    for (const [at, { user }] of turns.entries()) {
      if (user.disagrees) disagreements.push({ session: session.id, turn: at + 1 });
    }
    const items = new Set(turns.flatMap(({ user }) => listSelectedItems(user.selected)));
    selected.push({ session: session.id, items: [...items].toSorted((one, other) => one - other) });
    scores.push({ session: session.id, scores: turns.map(({ user }) => user.score) });
    const unjudged =
      dialogue.unjudged === undefined
        ? undefined
        : await readAssistant(run, place, turns.length + 1, dialogue.unjudged);
    interactions.push({
      session_id: session.id,
      preference: session.preference,
      checklist: session.checklist,
      chat: buildChat(session, turns, unjudged),
      is_satisfied: unjudged === undefined,
    });
  }
  const workflowId = buildPersonaWorkflowId(run.id, input.persona);
  const entries = await run.journal.pack(listWorkflows(run, input.persona, sessions.length));
  const models = await listOtherModels(run, input, entries);
  const separated = countSeparatedAnswers(entries);
  await writePersona(run.store, input.persona, {
    record: {
      persona_id: buildPersonaId(persona.id, persona.occupation),
      persona,
      context_factors: await readFactors(run, input),
      sessions,
      interactions,
    },
    workflow_id: workflowId,
    ...(input.generation === undefined ? {} : { generation: input.generation }),
    ...(Object.keys(models).length === 0 ? {} : { models }),
    disagreements,
    selected,
    scores,
    answered_by: [...new Set(entries.map((entry) => entry.answer.model))].toSorted(),
    code_version: run.codeVersion,
    calls: entries.length,
    bad_answers: countBadAnswers(run, input.persona, entries),
    ...(separated === 0 ? {} : { separated_answers: separated }),
    input_tokens: sumAnswerTokens(entries, 'input'),
    output_tokens: sumAnswerTokens(entries, 'output'),
  });
}

function countSeparatedAnswers(entries: readonly JournalEntry[]): number {
  return entries.filter(({ key, answer }) => {
    const step = parseStepKey(key, SYNTHESIS_STEPS)?.step;
    return step !== undefined && countSeparations(step, answer).separated !== undefined;
  }).length;
}

async function withChecklists(
  run: SynthesisFiles,
  input: RecordRefs,
  sessions: readonly PlannedSession[],
): Promise<Session[]> {
  const checklists = new Map<string, string[]>();
  for (const [at, preference] of listDistinctPreferences(sessions).entries()) {
    const ref = input.checklists[at];
    if (ref === undefined) throw new Error(`Preference "${preference}" has no checklist.`);
    checklists.set(preference, await readChecklist(run, input, { index: at + 1, ref }));
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
function listWorkflows({ id }: SynthesisFiles, persona: number, nSessions: number): string[] {
  const sessions = Array.from({ length: nSessions - 1 }, (_, index) => index + 1);
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
