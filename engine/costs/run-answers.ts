import type { SynthesisSettings } from '../../schemas/run/settings';

/** How far one dialogue is: messages that were answered, by side. */
export interface DialogueAnswers {
  readonly assistant: number;
  readonly user: number;
  /** Satisfied, at the turn limit, stalled, or given up: nothing further is asked. */
  readonly ended: boolean;
}

/** How far one persona is, from its description on. */
export interface PersonaProgress {
  /** Kept or failed: nothing further is asked. */
  readonly closed: boolean;
  readonly factors: boolean;
  readonly journey: boolean;
  readonly checklists: number;
  /** Those that have an answer. */
  readonly dialogues: readonly DialogueAnswers[];
}

/** What a synthesis run was answered so far, repairs left out: what is left to ask follows from it. */
export interface RunAnswers {
  /** Batches of personas that are described. */
  readonly descriptions: number;
  /** By number; those that have an answer, or are closed. */
  readonly personas: ReadonlyMap<number, PersonaProgress>;
}

export const NO_ANSWERS: RunAnswers = { descriptions: 0, personas: new Map() };

/** Dialogues that have begun and not ended: a persona's begin together. */
export function countOpenDialogues({ personas }: RunAnswers, nSessions: number): number {
  let open = 0;
  for (const { closed, dialogues } of personas.values()) {
    if (closed || dialogues.length === 0) continue;
    open += nSessions - 1 - dialogues.filter(({ ended }) => ended).length;
  }
  return open;
}

/** Turns of both sides, repairs left out. */
export function countAnswers({ descriptions, personas }: RunAnswers): number {
  let answers = descriptions;
  for (const { factors, journey, checklists, dialogues } of personas.values()) {
    answers += Number(factors) + Number(journey) + checklists;
    for (const { assistant, user } of dialogues) answers += assistant + user;
  }
  return answers;
}

/** Calls of a run, if each is answered well. */
export interface RemainingCalls {
  readonly describe: number;
  readonly factors: number;
  readonly journey: number;
  readonly checklist: number;
  /** Dialogues whose length is not known yet, by how far they are. */
  readonly open: OpenDialogues;
}

export interface OpenDialogues {
  /** By the number of turns they have had; the next message is the assistant's. */
  readonly atAssistant: readonly number[];
  /** The same; the assistant's message is there, the next one is the user's. */
  readonly atUser: readonly number[];
}

/** What is left to ask follows from how far each persona and each dialogue is. @param batches of descriptions, in all */
export function countRemainingCalls(
  settings: SynthesisSettings,
  batches: number,
  { descriptions, personas }: RunAnswers,
): RemainingCalls {
  const { nPersonas, nSessions } = settings;
  const all = [...personas.values()];
  const open = all.filter(({ closed }) => !closed);
  const untouched = Math.max(0, nPersonas - all.length);
  const preferences = countPreferences(settings);
  const atAssistant = [untouched * (nSessions - 1)];
  const atUser: number[] = [];
  for (const { dialogues } of open) {
    increase(atAssistant, 0, Math.max(0, nSessions - 1 - dialogues.length));
    for (const { assistant, user, ended } of dialogues) {
      if (!ended) increase(assistant > user ? atUser : atAssistant, user, 1);
    }
  }
  return {
    describe: Math.max(0, batches - descriptions),
    factors: untouched + open.filter(({ factors }) => !factors).length,
    journey: untouched + open.filter(({ journey }) => !journey).length,
    checklist: open.reduce(
      (count, persona) => count + countChecklistsLeft(persona, preferences),
      untouched * preferences,
    ),
    open: { atAssistant, atUser },
  };
}

export function increase(counts: number[], at: number, by: number): void {
  while (counts.length <= at) counts.push(0);
  counts[at] = (counts[at] ?? 0) + by;
}

function countChecklistsLeft({ checklists, dialogues }: PersonaProgress, preferences: number): number {
  // Dialogues begin once all preferences have their checklists.
  return dialogues.length > 0 ? 0 : Math.max(0, preferences - checklists);
}

/** Returns a journey's preferences: the pair's two and the changed one, and one of each other factor that free sessions take up. */
function countPreferences({ nFactors, nSessions }: SynthesisSettings): number {
  return 3 + Math.min(nFactors - 2, nSessions - 7);
}
