import { listJourneyParts } from '../../schemas/run/journey-parts';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { sum } from '../../schemas/sum';

/** Progress of one dialogue: answered messages of each side. */
export interface DialogueAnswers {
  readonly assistant: number;
  readonly user: number;
  /** Satisfied, at the turn limit or stalled; also given up, in a stored persona. Nothing further is asked. */
  readonly ended: boolean;
}

/** Progress of one persona, from its description on. */
export interface PersonaProgress {
  /** Stored or failed: nothing further is asked. */
  readonly closed: boolean;
  readonly factors: boolean;
  /** Planned parts of the journey. */
  readonly journeyParts: number;
  readonly checklists: number;
  /** Dialogues with an answer. */
  readonly dialogues: readonly DialogueAnswers[];
}

/** Answers of a synthesis run so far, without repairs. The remaining calls follow from them. */
export interface RunAnswers {
  /** Described batches of personas. */
  readonly descriptions: number;
  /** By number; personas that have an answer or are closed. */
  readonly personas: ReadonlyMap<number, PersonaProgress>;
}

export const NO_ANSWERS: RunAnswers = { descriptions: 0, personas: new Map() };

/** Counts the dialogues that have begun and not ended. A persona's dialogues all begin at the same time. */
export function countOpenDialogues({ personas }: RunAnswers, nSessions: number): number {
  let open = 0;
  for (const { closed, dialogues } of personas.values()) {
    if (closed || dialogues.length === 0) continue;
    open += nSessions - 1 - dialogues.filter(({ ended }) => ended).length;
  }
  return open;
}

/** Returns whether any dialogue has begun. Before that, few calls are made at once. */
export function hasDialogues({ personas }: RunAnswers): boolean {
  return [...personas.values()].some(({ dialogues }) => dialogues.length > 0);
}

/** Counts all answers, without repairs. */
export function countAnswers({ descriptions, personas }: RunAnswers): number {
  let answers = descriptions;
  for (const { factors, journeyParts, checklists, dialogues } of personas.values()) {
    answers += Number(factors) + journeyParts + checklists;
    for (const { assistant, user } of dialogues) answers += assistant + user;
  }
  return answers;
}

/** Remaining calls of a run, if each is answered well. */
export interface RemainingCalls {
  readonly describe: number;
  readonly factors: number;
  readonly journey: number;
  readonly checklist: number;
  /** Dialogues of unknown remaining length, by their progress. */
  readonly open: OpenDialogues;
}

export interface OpenDialogues {
  /** Dialogues where the assistant's message is next, by number of turns so far. */
  readonly atAssistant: readonly number[];
  /** Dialogues where the user's message is next, by number of turns so far. */
  readonly atUser: readonly number[];
}

/**
 * Counts the remaining calls from the progress of each persona and dialogue.
 * @param batches all batches of descriptions
 */
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
  const parts = listJourneyParts(nSessions).length;
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
    journey: untouched * parts + sum(open.map(({ journeyParts }) => Math.max(0, parts - journeyParts))),
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

/** Counts a journey's preferences: the pair's two, the changed one, and one for each other factor in free sessions. */
function countPreferences({ nFactors, nSessions }: SynthesisSettings): number {
  return 3 + Math.min(nFactors - 2, nSessions - 7);
}
