import type { RecordForm } from '../../../schemas/dataset/record';
import { listPresent } from '../../../schemas/text/list-present';
import { quoteAnswer } from '../../texts/quote-answer';
import { validateChecklist } from '../../answers/synthesis/checklist';
import { buildStoredOpening } from '../../dialogue/messages';
import type { RowFinding } from '../finding';

type RecordedDialogue = RecordForm['interactions'][number];

/**
 * Checks that the dialogues are those of the sessions (paper, B.4): one for each but the last, which opens with the session's request, and
 * ends with the user when satisfied, else with the assistant.
 */
export function validateDialogues({ sessions, interactions }: RecordForm): RowFinding[] {
  const prior = sessions.slice(0, -1);
  // The reference program keeps the last session's request with an answer that it never got.
  const ids = interactions
    .filter((interaction) => interaction.session_id !== sessions.length || isSimulated(interaction))
    .map(({ session_id: id }) => id);
  const missingIds = prior.map((_, place) => place + 1).filter((id) => !ids.includes(id));
  const surplus = ids.filter((id, place) => prior[id - 1] === undefined || ids.indexOf(id) !== place);
  const findings: RowFinding[] = [];
  const problems = listPresent(
    missingIds.length > 0 && `none for session ${missingIds.join(', ')}`,
    surplus.length > 0 && `one too many for session ${surplus.join(', ')}`,
  );
  if (problems.length > 0) {
    const message = `expected one for each session but the last, found ${problems.join(' and ')}.`;
    findings.push({ rule: 'one-dialogue-a-session', field: 'interactions', message });
  }
  for (const [index, { session_id: id, chat, is_satisfied: satisfied }] of interactions.entries()) {
    const session = prior[id - 1];
    const opening = chat[0]?.content;
    const expected = session && buildStoredOpening(session);
    if (expected !== undefined && typeof opening === 'string' && opening !== expected) {
      const message = `expected the request of session ${id}, with its resource in place and without spaces around it: ${quoteAnswer(expected)}, found ${quoteAnswer(opening)}.`;
      findings.push({ rule: 'opening-message', field: `interactions[${index}].chat[0].content`, message });
    }
    const last = chat.at(-1);
    const speaker = satisfied ? 'user' : 'assistant';
    if (last !== undefined && last.content !== null && last.role !== speaker) {
      const message = `expected a last message from the ${speaker}, as is_satisfied is ${satisfied}, found one from the ${last.role}.`;
      findings.push({ rule: 'satisfied-ending', field: `interactions[${index}].is_satisfied`, message });
    }
  }
  return findings;
}

/** Checks that dialogues have their sessions' preferences, and that each preference has one checklist, as it is decomposed once (paper, 2.3). */
export function validatePreferences({ sessions, interactions }: RecordForm): RowFinding[] {
  const findings: RowFinding[] = [];
  for (const [index, { session_id: id, preference }] of interactions.entries()) {
    const expected = sessions[id - 1]?.preference ?? preference;
    if (preference === expected) continue;
    const message = `expected the preference of session ${id}: ${quoteAnswer(expected)}, found ${quoteAnswer(preference)}.`;
    findings.push({ rule: 'one-dialogue-a-session', field: `interactions[${index}].preference`, message });
  }
  const rule = 'session-checklist';
  const firstChecklists = new Map<string, { readonly checklist: string; readonly field: string }>();
  for (const [field, { preference, checklist: items }] of [
    ...sessions.map((session, index) => [`sessions[${index}].checklist`, session] as const),
    ...interactions.map((interaction, index) => [`interactions[${index}].checklist`, interaction] as const),
  ]) {
    const checklist = JSON.stringify(items);
    const first = firstChecklists.get(preference);
    if (first === undefined) firstChecklists.set(preference, { checklist, field });
    const [problem] = first === undefined ? validateChecklist(items) : [];
    if (problem !== undefined) findings.push({ rule, field, message: `${problem}.` });
    if (first === undefined || first.checklist === checklist) continue;
    const message = `expected ${first.field}, as the preference is the same (${quoteAnswer(preference)}), found another checklist.`;
    findings.push({ rule, field, message });
  }
  return findings;
}

function isSimulated({ chat }: RecordedDialogue): boolean {
  return chat.some(({ role, content }) => role === 'assistant' && content !== null);
}
