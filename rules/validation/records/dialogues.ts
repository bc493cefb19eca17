import type { RecordForm } from '../../../schemas/dataset/record';
import { findResourceProblem } from '../../answers/synthesis/journey';
import { quoteAnswer } from '../../answers/form/checks';
import { buildStoredOpening } from '../../dialogue/messages';
import type { RowFinding } from '../finding';

type Session = RecordForm['sessions'][number];
type Interaction = RecordForm['interactions'][number];

/**
 * Where the dialogues are not those of the sessions (paper, B.4): one a session but the last, which opens with the session's request and
 * ends with the user when satisfied, else with the assistant.
 * @param reported fields that have a finding already
 */
export function validateDialogues(record: RecordForm, reported: ReadonlySet<string>): RowFinding[] {
  const { sessions, interactions } = record;
  const resources = sessions.flatMap((session, index) => validateSessionResource(session, index));
  const known = new Set([...reported, ...resources.map(({ field }) => field)]);
  return [
    ...resources,
    ...(hasWrongIds(reported) ? [] : countLapses(record)),
    ...interactions.flatMap((interaction, index) => {
      const session = findSession(record, interaction);
      return [
        ...(session === undefined ? [] : validateSession(session, { interaction, index }, known)),
        ...validateEnding(interaction, index),
      ];
    }),
  ];
}

function validateSessionResource(session: Session, index: number): RowFinding[] {
  const problem = findResourceProblem(session);
  const field = `sessions[${index}].request_with_factor`;
  return problem === undefined ? [] : [{ rule: 'opening-message', field, message: `${problem}.` }];
}

function countLapses({ sessions, interactions }: RecordForm): RowFinding[] {
  const wanted = sessions.slice(0, -1).map(({ id }) => id);
  const last = sessions.at(-1)?.id;
  const given = interactions.filter(
    (interaction) => interaction.session_id !== last || isSimulated(interaction),
  );
  const ids = given.map(({ session_id: id }) => id);
  const problems = [
    ...wanted.filter((id) => !ids.includes(id)).map((id) => `none for session ${id}`),
    ...[...new Set(ids)]
      .filter((id) => wanted.includes(id) && ids.indexOf(id) !== ids.lastIndexOf(id))
      .map((id) => `more than one for session ${id}`),
    ...ids
      .filter((id) => !wanted.includes(id))
      .map((id) =>
        id === last ? `one for the last session, ${id}` : `one for session ${id}, which does not exist`,
      ),
  ];
  if (problems.length === 0) return [];
  const message = `expected one for each session but the last, found ${problems.join(', ')}.`;
  return [{ rule: 'one-dialogue-a-session', field: 'interactions', message }];
}

/** Wrong ids do not show which session has no dialogue. */
function hasWrongIds(reported: ReadonlySet<string>): boolean {
  return [...reported].some((field) => /^sessions\[\d+\]\.id$/.test(field));
}

/** The reference program keeps the last session's request with an answer that it never got. */
function isSimulated({ chat }: Interaction): boolean {
  return chat.some(({ role, content }) => role === 'assistant' && content !== null);
}

/** The session that an interaction is of; undefined for the last, and where ids are wrong, so that it may be another one's. */
function findSession(
  { sessions, interactions }: RecordForm,
  { session_id: id }: Interaction,
): Session | undefined {
  const session = sessions.slice(0, -1)[id - 1];
  const alone = interactions.filter(({ session_id: other }) => other === id).length === 1;
  return alone && session?.id === id ? session : undefined;
}

function validateSession(
  session: Session,
  { interaction, index }: { interaction: Interaction; index: number },
  reported: ReadonlySet<string>,
): RowFinding[] {
  const lapses: RowFinding[] = [];
  const at = session.id - 1;
  if (interaction.preference !== session.preference && !reported.has(`sessions[${at}].preference`)) {
    lapses.push({
      rule: 'one-dialogue-a-session',
      field: `interactions[${index}].preference`,
      message: `expected the preference of session ${session.id}: ${quoteAnswer(session.preference)}, found ${quoteAnswer(interaction.preference)}.`,
    });
  }
  const opening = interaction.chat[0]?.content;
  const expected = buildStoredOpening(session);
  if (
    typeof opening === 'string' &&
    opening !== expected &&
    !reported.has(`sessions[${at}].request_with_factor`)
  ) {
    lapses.push({
      rule: 'opening-message',
      field: `interactions[${index}].chat[0].content`,
      message: `expected the request of session ${session.id}, with its resource in place and without spaces around it: ${quoteAnswer(expected)}, found ${quoteAnswer(opening)}.`,
    });
  }
  return lapses;
}

function validateEnding({ chat, is_satisfied: satisfied }: Interaction, index: number): RowFinding[] {
  const last = chat.at(-1);
  const expected = satisfied ? 'user' : 'assistant';
  if (last === undefined || last.content === null || last.role === expected) return [];
  const field = `interactions[${index}].is_satisfied`;
  const message = `expected a last message from the ${expected}, as is_satisfied is ${satisfied}, found one from the ${last.role}.`;
  return [{ rule: 'satisfied-ending', field, message }];
}
