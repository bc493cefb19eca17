/** How far one dialogue is: messages that were answered, by side. */
export interface DialogueAnswers {
  readonly assistant: number;
  readonly user: number;
  /** Satisfied, at the turn limit, or given up: nothing further is asked. */
  readonly ended: boolean;
}

/** How far one persona is, from its description on. */
export interface PersonaAnswers {
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
  readonly personas: ReadonlyMap<number, PersonaAnswers>;
}

/** A run that was asked nothing yet. */
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
