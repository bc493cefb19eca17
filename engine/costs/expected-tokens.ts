import type { SynthesisSettings } from '../../schemas/run/settings';
import type { SynthesisStep } from '../../schemas/run/step';
import { TYPICAL_OUTPUT } from './call-estimate';

/** Answered calls, and the tokens they read and wrote. */
export interface Amount {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

/** What the size of a run follows from, before anything is asked. */
export interface RunShape {
  readonly settings: SynthesisSettings;
  /** Calls that describe personas, if each is answered well. */
  readonly batches: number;
  /** Characters of each step's prompt, the values that are put in left out. */
  readonly prompts: Readonly<Record<SynthesisStep, number>>;
  /** Characters of the lines that describe the templates of all personas. */
  readonly templates: number;
}

export interface MessagesByTurn {
  readonly assistant: readonly number[];
  readonly user: readonly number[];
}

/** Tokens of the pieces that answers are made of and prompts are filled with, where nothing is asked to be longer. */
const PIECES = {
  /** A persona's six sentences, and its factor's name, preference and task types as the journey's prompt lists them. */
  description: TYPICAL_OUTPUT.describe / 4,
  factor: 60,
  factorName: 6,
  /** The paper's means (3.3): tokens of a preference, entries of a checklist of some 14 tokens each. */
  preference: 18.4,
  checklist: 2.9 * 14,
  /** The opening message, including its resource, and each of the user's later messages. */
  opening: 100,
  message: 28,
  /** A line that says which session carries which factor of the pair: seven of them. */
  structure: 7 * 15,
  /** The empty sections around the opening message in the user simulator's history. */
  emptySections: 45,
} as const;

type PlanningStep = Exclude<SynthesisStep, 'assistant' | 'user'>;

/** Tokens of this many calls of the steps before the dialogues. */
export function estimatePlanningTokens(
  { settings, batches, prompts, templates }: RunShape,
  calls: Readonly<Record<PlanningStep, number>>,
): Record<PlanningStep, Amount> {
  const { nPersonas, nFactors, nSessions, describeBatch } = settings;
  const total = (step: PlanningStep, values: number, output: number): Amount => ({
    calls: calls[step],
    input: calls[step] * (prompts[step] / 4 + values),
    output: calls[step] * output,
  });
  return {
    describe: total(
      'describe',
      // Without batches, the descriptions were given.
      templates / 4 / Math.max(1, batches),
      (TYPICAL_OUTPUT.describe / 4) * Math.min(describeBatch, nPersonas),
    ),
    factors: total('factors', PIECES.description, (TYPICAL_OUTPUT.factors / 8) * nFactors),
    journey: total(
      'journey',
      PIECES.description + PIECES.factor * nFactors + PIECES.structure,
      (TYPICAL_OUTPUT.journey / 13) * nSessions,
    ),
    checklist: total('checklist', PIECES.preference, TYPICAL_OUTPUT.checklist),
  };
}

/** Tokens of this many messages by turn: what was said before is read again at each of them. */
export function estimateDialogueTokens(
  { prompts }: RunShape,
  messages: MessagesByTurn,
): { assistant: Amount; user: Amount } {
  const { assistant, user } = TYPICAL_OUTPUT;
  const userSystem =
    prompts.user / 4 +
    PIECES.description +
    PIECES.factorName +
    PIECES.preference +
    PIECES.checklist +
    PIECES.emptySections;
  const heard = (earlier: number) =>
    prompts.assistant / 4 + PIECES.opening + earlier * (assistant + PIECES.message);
  const read = (earlier: number) => userSystem + PIECES.opening + (earlier + 1) * assistant + earlier * user;
  return {
    assistant: turnTokens(messages.assistant, heard, assistant),
    user: turnTokens(messages.user, read, user),
  };
}

/** @param counts messages by turn @param input tokens that one reads after so many earlier turns */
function turnTokens(counts: readonly number[], input: (earlier: number) => number, output: number): Amount {
  return {
    calls: sum(counts),
    input: sum(counts.map((count, earlier) => count * input(earlier))),
    output: sum(counts) * output,
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
