import type { AnswerRef } from '../../engine/journal/key';
import type { PlannedPersona } from '../../schemas/dataset/persona';
import type { RunInputs } from '../../schemas/run/run';
import type { SynthesisSettings } from '../../schemas/run/settings';
import type { RunFiles, World } from '../world';

/** Where the call of a step's activity belongs. */
export interface Place {
  readonly run: string;
  readonly generation: number;
  readonly ask: number;
  /** The SPEC that is asked, where another model than the settings' was named for this call. */
  readonly spec?: string;
}

/** Names a persona by reference: its number, and the batch and answer that describe it. */
export interface PersonaRefs {
  readonly run: string;
  readonly persona: number;
  readonly described: DescriptionRef;
}

export interface DescriptionRef {
  /** The first persona of the batch, which is the describe step's turn. */
  readonly first: number;
  readonly count: number;
  readonly ref: AnswerRef;
}

/** Names a persona whose journey is planned. */
export interface JourneyRefs extends PersonaRefs {
  readonly factors: AnswerRef;
  readonly journey: AnswerRef;
}

/** Names a session about to be simulated, its preference decomposed. */
export interface SessionRefs extends JourneyRefs {
  readonly session: number;
  readonly checklist: ChecklistRef;
}

interface ChecklistRef {
  /** Position of the preference among the journey's distinct ones, from 1: the checklist step's turn. */
  readonly index: number;
  readonly ref: AnswerRef;
}

/** A finished turn of a dialogue: the assistant's answer, then the user's. */
export type TurnRefs = readonly [assistant: AnswerRef, user: AnswerRef];

/** A finished dialogue by reference. */
export interface DialogueRefs {
  readonly turns: readonly TurnRefs[];
  /** The assistant's last answer when the turns were used up before the user judged it: the dialogue is unsatisfied. */
  readonly unjudged?: AnswerRef;
}

/** Names everything that a persona's record is made of. */
export interface RecordRefs extends JourneyRefs {
  /** By position among the journey's distinct preferences. */
  readonly checklists: readonly AnswerRef[];
  /** By session, from the first; none for the last. */
  readonly dialogues: readonly DialogueRefs[];
  /** How often the persona's work was restarted; absent for never. */
  readonly generation?: number;
}

export interface SynthesisFiles extends RunFiles {
  readonly settings: SynthesisSettings;
  readonly seeds: RunInputs['seeds'];
  /** By persona number. */
  readonly templates: ReadonlyMap<number, PlannedPersona>;
  readonly codeVersion: string;
  /** A folder of this machine for files on their way to the store. */
  readonly scratch: string;
}

export type SynthesisWorld = World<SynthesisFiles>;
