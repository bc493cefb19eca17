import { sumAnswerTokens } from '../../../engine/costs/ledger';
import { buildStoredOpening } from '../../../rules/dialogue/messages';
import { listSelectedItems } from '../../../rules/dialogue/ending';
import {
  buildPersonaWorkflowId,
  buildRefKey,
  listPersonaWorkflows,
  parseStepKey,
} from '../../../engine/journal/key';
import { countSeparations } from '../../../engine/journal/separations';
import { buildPersonaId } from '../../../rules/instances/persona-id';
import { listDistinctPreferences } from '../../../rules/journey/preferences';
import type { JournalEntry } from '../../../schemas/run/journal';
import type { Interaction, StoredPersona } from '../../../schemas/dataset/record';
import type { Session } from '../../../schemas/dataset/session';
import { writePersona } from '../../../data/run/artifacts';
import { openRecordedCalls } from '../../../data/run/unanswered-calls';
import { getRevision, listRevisions } from '../../../engine/journal/revisions';
import { synthesizePersona } from '../../../rules/method/persona';
import { listAccepted, readScript, type RecordedAttempt } from '../../../rules/method/reader';
import { SynthesisAnswers, type ReadTurn } from '../../../rules/method/synthesis-answers';
import type { PersonaRefs, RecordRefs, SynthesisCall } from '../../../rules/method/synthesis-calls';
import { countDialogueTokens } from '../../../rules/statistics/statistics';
import type { Restart } from '../../../schemas/run/restart';
import type { SynthesisFiles, SynthesisWorld } from '../inputs';
import { openAcceptedAnswers } from '../../accepted-answers';
import { ROLE_OF } from '../../../engine/model-facts/roles';
import { SYNTHESIS_STEPS } from '../../../schemas/run/step';
import { MODEL_ROLES } from '../../../schemas/model/model-role';

/** The persona whose record is stored. */
interface RecordInput extends PersonaRefs {
  readonly run: string;
  /** Absent for none. */
  readonly restarts?: readonly Restart[] | undefined;
}

/** Builds a persona's record from its answers in the journal, and stores it. */
export async function keepRecord({ run }: SynthesisWorld, input: RecordInput): Promise<void> {
  const { persona: number, described, restarts = [] } = input;
  const workflows = listPersonaWorkflows(run.id, number, run.settings.nSessions);
  const entries = await run.journal.pack(workflows);
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  // The entries are packed by now, and a pack is read as a whole.
  const accepted = openAcceptedAnswers(run, 'run', { entries: byKey });
  const answers = new SynthesisAnswers(run, accepted.read);
  const recorded = {
    ...openRecordedCalls(run.store, run.journal),
    find: async (key: string) => byKey.get(key),
  };
  const read = async (followedRestarts: readonly Restart[]) => {
    const plan = { run: run.id, settings: run.settings, restarts: followedRestarts };
    return readScript(synthesizePersona(plan, { persona: number, described }), answers, recorded);
  };
  const { result: refs, attempts } = await read(restarts);
  if (refs === undefined) throw new Error(`The journal lacks answers of persona ${number}.`);
  const earlier = await Promise.all(listRevisions(restarts, number).slice(0, -1).map(read));
  const persona = await answers.readPersona(refs);
  const sessions = await readSessions(answers, refs);
  const dialogues = await readDialogues(answers, refs, sessions);
  const models = await listOtherModels(run, refs, attempts);
  const separated = countSeparatedAnswers(entries);
  const interactions = dialogues.map(buildInteraction);
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
    disagreements: dialogues.flatMap(({ session, turns }) =>
      turns.flatMap(({ user }, at) => (user.disagrees ? [{ session: session.id, turn: at + 1 }] : [])),
    ),
    selections: dialogues.map(({ session, turns }) => {
      const items = new Set(turns.flatMap(({ user }) => listSelectedItems(user.selected)));
      return { session: session.id, items: [...items].toSorted((a, b) => a - b) };
    }),
    scores: dialogues.map(({ session, turns }) => ({
      session: session.id,
      scores: turns.map(({ user }) => user.score),
    })),
    dialogue_tokens: interactions.map(({ chat }) => countDialogueTokens(chat)),
    answered_by: [...new Set(entries.map((entry) => entry.answer.model))].toSorted(),
    code_version: run.codeVersion,
    calls: entries.length,
    bad_answers: countBadAnswers([...attempts, ...earlier.flatMap((progress) => progress.attempts)]),
    ...(separated === 0 ? {} : { separated_answers: separated }),
    input_tokens: sumAnswerTokens(entries, 'input'),
    output_tokens: sumAnswerTokens(entries, 'output'),
  });
  accepted.forget(byKey.keys());
}

/** Reads the sessions of the journey, with the checklists of their preferences. */
async function readSessions(answers: SynthesisAnswers, refs: RecordRefs): Promise<Session[]> {
  const { sessions } = await answers.readJourney(refs);
  const checklists = new Map<string, string[]>();
  for (const [at, preference] of listDistinctPreferences(sessions).entries()) {
    const ref = refs.checklists[at];
    if (ref === undefined) throw new Error(`Preference "${preference}" has no checklist.`);
    checklists.set(preference, await answers.readChecklist(refs, { index: at + 1, ref }));
  }
  return sessions.map((session) => ({ ...session, checklist: checklists.get(session.preference) ?? [] }));
}

interface ReadDialogue {
  readonly session: Session;
  readonly turns: readonly ReadTurn[];
  /** The assistant's last answer if the user did not judge it. */
  readonly unjudged: string | undefined;
}

async function readDialogues(
  answers: SynthesisAnswers,
  { persona, dialogues }: RecordRefs,
  sessions: readonly Session[],
): Promise<ReadDialogue[]> {
  return Promise.all(
    dialogues.map(async ({ turns: refs, unjudged }, at) => {
      const session = sessions[at];
      if (session === undefined)
        throw new Error(`There is a dialogue for session ${at + 1}, but no session.`);
      const place = { persona, session: session.id };
      const turns = await answers.readTurns(place, refs);
      const last =
        unjudged === undefined ? undefined : await answers.readAssistant(place, refs.length + 1, unjudged);
      return { session, turns, unjudged: last };
    }),
  );
}

function buildInteraction({ session, turns, unjudged }: ReadDialogue): Interaction {
  return {
    session_id: session.id,
    preference: session.preference,
    checklist: session.checklist,
    chat: [
      // Sent as it is, stored stripped, as in the reference.
      { role: 'user', content: buildStoredOpening(session) },
      ...turns.flatMap(({ assistant, user }) => [
        { role: 'assistant' as const, content: assistant },
        { role: 'user' as const, content: user.message },
      ]),
      ...(unjudged === undefined ? [] : [{ role: 'assistant' as const, content: unjudged }]),
    ],
    is_satisfied: unjudged === undefined,
  };
}

type PersonaAttempt = RecordedAttempt<SynthesisCall>;

/** Lists the models behind a record's answers, by role, if there are others than the settings' model. */
async function listOtherModels(
  run: SynthesisFiles,
  { described: { first, ref } }: RecordRefs,
  attempts: readonly PersonaAttempt[],
): Promise<NonNullable<StoredPersona['models']>> {
  const answers = listAccepted(attempts)
    .toSorted((a, b) => compareCalls(a.attempt.call, b.attempt.call))
    .flatMap(({ attempt: { call }, entry }) =>
      entry === undefined ? [] : [{ step: call.step, spec: entry.spec }],
    );
  if (run.seeds.origin !== 'personas') {
    const { spec } = await run.journal.get(buildRefKey(run.id, 'describe', first, ref));
    answers.unshift({ step: 'describe', spec });
  }
  const models: NonNullable<StoredPersona['models']> = {};
  for (const role of MODEL_ROLES) {
    const roleSpecs = answers.flatMap(({ step, spec }) => (ROLE_OF[step] === role ? [spec] : []));
    if (roleSpecs.some((spec) => spec !== run.settings.models[role])) models[role] = [...new Set(roleSpecs)];
  }
  return models;
}

/** Compares calls by session, then by turn, because concurrent scripts are answered in any order. */
function compareCalls(a: SynthesisCall, b: SynthesisCall): number {
  return getSession(a) - getSession(b) || a.turn - b.turn;
}

function getSession(call: SynthesisCall): number {
  return 'session' in call ? call.session : 0;
}

/**
 * Counts the bad answers: of each call, all but the usable one. Answers that a restart superseded are not bad.
 * @param attempts those of the persona, and of its work before each restart
 */
function countBadAnswers(attempts: readonly PersonaAttempt[]): number {
  const answered = new Set(attempts.flatMap(({ entry }) => entry?.key ?? []));
  return answered.size - listAccepted(attempts).length;
}

function countSeparatedAnswers(entries: readonly JournalEntry[]): number {
  return entries.filter(({ key, answer }) => {
    const step = parseStepKey(key, SYNTHESIS_STEPS)?.step;
    return step !== undefined && countSeparations(step, answer).separated === true;
  }).length;
}
