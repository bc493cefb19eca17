import type { CallEstimate } from '../../schemas/run/ledger';
import { STEP_FACTS, type Step } from '../../schemas/run/step';

interface UnsentCall {
  readonly step: Step;
  /** Characters of all its messages and its system prompt together. */
  readonly characters: number;
  /** Maximum number of tokens in the visible text of its answer. */
  readonly maxTokens: number;
  /** Mean tokens of recent answers to similar calls, if there are enough of them. Reasoning counts, which `maxTokens` does not limit. */
  readonly recent?: number;
}

/** Estimates the tokens of a call. If its usage is not reported, it is charged at this estimate. */
export function estimateCall({ step, characters, maxTokens, recent }: UnsentCall): CallEstimate {
  // A memory system reads and writes no tokens of a model.
  if (step === 'recall') return { input: 0, output: 0 };
  return {
    input: estimateTokens(characters),
    output: Math.ceil(recent ?? Math.min(maxTokens, STEP_FACTS[step].typicalOutput)),
  };
}

/** Estimates the tokens of a text from its characters, at the usual rate for English, which all providers are close to. */
function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}
