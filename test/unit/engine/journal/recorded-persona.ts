import * as z from 'zod';
import { buildDialogueId, buildJournalKey, buildPersonaWorkflowId } from '../../../../engine/journal/key';
import type { Model } from '../../../../models/model';
import type { JournalEntry } from '../../../../schemas/run/journal';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { STEPS, type Step } from '../../../../schemas/run/step';
import { buildJournalEntry } from '../../../journal-entry';
import { askDialogue, openSimulated, synthesizePersona } from '../../models/simulated/persona';

export const RUN = 'cupid-1a2b3c4d';
export const PERSONA = 7;
const MODEL = 'simulated:default';

/** A run of short journeys, under the strict rules. */
export const settings = synthesisSettingsSchema.parse({
  nPersonas: 9,
  nSessions: 9,
  maxTurns: 3,
  seed: 42,
  quality: 'strict',
  models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
});

/** Records all answers of the persona, in the order of the calls. */
export async function recordPersona(): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  let workflowId = RUN;
  const turns = new Map<string, number>();
  const simulated = openSimulated();
  const recording: Model = {
    async ask(request, signal) {
      const answer = await simulated.ask(request, signal);
      const step = z.enum(STEPS).parse(request.step);
      const isNumbered = step === 'checklist' || step === 'assistant' || step === 'user';
      const place = `${workflowId} ${step}`;
      turns.set(place, (turns.get(place) ?? 0) + 1);
      const turn = step === 'describe' ? PERSONA : isNumbered ? (turns.get(place) ?? 0) : 0;
      const key = buildKey(step, turn, step === 'describe' ? RUN : workflowId);
      entries.push(buildJournalEntry(key, { text: answer.text }));
      workflowId = step === 'describe' ? buildPersonaWorkflowId(RUN, PERSONA) : workflowId;
      return answer;
    },
  };
  const { description, journey, checklists } = await synthesizePersona(recording, PERSONA, 8, 9);
  for (const session of journey.sessions.slice(0, -1)) {
    workflowId = buildDialogueId(RUN, PERSONA, session.id);
    const checklist = checklists.get(session.preference) ?? [];
    await askDialogue(recording, { description, session, checklist, maxTurns: 3 });
  }
  return entries;
}

/** Builds the key of a first attempt without restarts. */
export function buildKey(step: Step, turn: number, workflowId: string): string {
  return buildJournalKey({ workflowId, revision: 0, step, turn, attempt: 0 });
}
