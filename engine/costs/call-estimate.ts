import type { CallEstimate } from '../../schemas/run/ledger';
import { mapValues } from '../../schemas/map-values';
import { EVALUATION_STEP_FACTS, type Step } from '../../schemas/run/step';

interface UnsentCall {
  readonly step: Step;
  /** Of all its messages and its system prompt together. */
  readonly characters: number;
  /** Most tokens of its answer. */
  readonly maxTokens: number;
  /** Mean tokens of the answers that calls of its kind had so far, where there are enough of them. */
  readonly recent?: number;
}

/** What a call is expected to take, in whole tokens; it is charged by this where its usage is not reported. */
export function estimateCall({ step, characters, maxTokens, recent }: UnsentCall): CallEstimate {
  return {
    input: estimateTokens(characters),
    output: Math.min(maxTokens, Math.ceil(recent ?? TYPICAL_OUTPUT[step])),
  };
}

/** About how many tokens a text with this many characters has: the usual rule for English, which no provider is far from. */
function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/**
 * About how many tokens answers have, reasoned from what each answer is asked to contain: a first guess, which a run's own answers
 * correct.
 */
export const TYPICAL_OUTPUT: Readonly<Record<Step, number>> = {
  /** Four personas, six sentences each. */
  describe: 900,
  /** Eight factors of eight fields. */
  factors: 1_400,
  /** Thirteen sessions, each with a story, two requests and often a resource. */
  journey: 4_500,
  /** Reasoning, then about three entries (2.90 in the paper). */
  checklist: 200,
  assistant: 125,
  /** Six sections, of which the message is the shortest. */
  user: 260,
  ...mapValues(EVALUATION_STEP_FACTS, ({ typicalOutput }) => typicalOutput),
};
