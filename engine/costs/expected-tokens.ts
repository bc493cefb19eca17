import { listJourneyParts } from '../../schemas/run/journey-parts';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { STEP_FACTS, type SynthesisStep } from '../../schemas/run/step';
import { sum } from '../../schemas/sum';

/** Answered calls, with the tokens that they read and wrote. */
export interface Amount {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

/** Everything that determines the size of a run, before anything is asked. */
export interface RunShape {
  readonly settings: SynthesisSettings;
  /** Calls that describe personas, if each is answered well. */
  readonly batches: number;
  /** Characters of each step's prompt, without the values that are filled in. */
  readonly prompts: Readonly<Record<SynthesisStep, number>>;
  /** Characters of the lines that describe the templates of all personas. */
  readonly templates: number;
}

export interface MessagesByTurn {
  readonly assistant: readonly number[];
  readonly user: readonly number[];
}

/** Tokens of the parts of answers and prompts, unless something longer is asked for. */
const PIECES = {
  /** A persona's six sentences; a factor's name, preference and task types as listed in the journey's prompt. */
  description: STEP_FACTS.describe.typicalOutput / 4,
  factor: 60,
  factorName: 6,
  /** The paper's means (3.3): tokens of a preference, and entries of a checklist of about 14 tokens each. */
  preference: 18.4,
  checklist: 2.9 * 14,
  /** The opening message, including its resource, and each of the user's later messages. */
  opening: 100,
  message: 28,
  /** The line of a session that an earlier part of the journey planned. */
  earlierSession: 110,
  /** Seven lines that assign a factor of the pair to a session. */
  structure: 7 * 15,
  /** The empty sections around the opening message in the user simulator's history. */
  emptySections: 45,
} as const;

type PlanningStep = Exclude<SynthesisStep, 'assistant' | 'user'>;

/** Estimates the tokens of this many calls of each step before the dialogues. */
export function estimatePlanningTokens(
  { settings, batches, prompts, templates }: RunShape,
  calls: Readonly<Record<PlanningStep, number>>,
): Record<PlanningStep, Amount> {
  const { nPersonas, nFactors, nSessions, describeBatch } = settings;
  const parts = listJourneyParts(nSessions);
  // Each part reads a line for each session before it.
  const earlier = sum(parts.map(({ first }) => first - 1)) / parts.length;
  const total = (step: PlanningStep, values: number, output: number): Amount => ({
    calls: calls[step],
    input: calls[step] * (prompts[step] / 4 + values),
    output: calls[step] * output,
  });
  return {
    describe: total(
      'describe',
      // If there are no batches, the descriptions were provided.
      templates / 4 / Math.max(1, batches),
      (STEP_FACTS.describe.typicalOutput / 4) * Math.min(describeBatch, nPersonas),
    ),
    factors: total('factors', PIECES.description, (STEP_FACTS.factors.typicalOutput / 8) * nFactors),
    journey: total(
      'journey',
      PIECES.description + PIECES.factor * nFactors + PIECES.structure + PIECES.earlierSession * earlier,
      ((STEP_FACTS.journey.typicalOutput / 13) * nSessions) / parts.length,
    ),
    checklist: total('checklist', PIECES.preference, STEP_FACTS.checklist.typicalOutput),
  };
}

/** Estimates the tokens of this many messages by turn. Each message reads all earlier ones again. */
export function estimateDialogueTokens(
  { prompts }: RunShape,
  messages: MessagesByTurn,
): { assistant: Amount; user: Amount } {
  const { typicalOutput: assistant } = STEP_FACTS.assistant;
  const { typicalOutput: user } = STEP_FACTS.user;
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

/**
 * @param counts messages by turn
 * @param input tokens that a message reads after a number of earlier turns
 */
function turnTokens(counts: readonly number[], input: (earlier: number) => number, output: number): Amount {
  return {
    calls: sum(counts),
    input: sum(counts.map((count, earlier) => count * input(earlier))),
    output: sum(counts) * output,
  };
}
