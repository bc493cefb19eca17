import type { CallEstimate } from '../../schemas/run/ledger';
import { mapValues } from '../../schemas/map-values';
import { EVALUATION_STEP_FACTS, type Step } from '../../schemas/run/step';

interface UnsentCall {
  readonly step: Step;
  /** Characters of all its messages and its system prompt together. */
  readonly characters: number;
  /** Maximum number of tokens in its answer. */
  readonly maxTokens: number;
  /** Mean tokens of recent answers to similar calls, if there are enough of them. */
  readonly recent?: number;
}

/** Estimates the tokens of a call. If its usage is not reported, it is charged at this estimate. */
export function estimateCall({ step, characters, maxTokens, recent }: UnsentCall): CallEstimate {
  // A memory system reads and writes no tokens of a model.
  if (step === 'recall') return { input: 0, output: 0 };
  return {
    input: estimateTokens(characters),
    output: Math.min(maxTokens, Math.ceil(recent ?? TYPICAL_OUTPUT[step])),
  };
}

/** Estimates the tokens of a text from its characters, at the usual rate for English, which all providers are close to. */
function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Typical tokens of an answer, estimated from what each answer is asked to contain. A run's own answers correct this first guess. */
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
