import { formatNumber } from '../schemas/text/count-text';
import type { ModelAnswer, ModelRequest } from './model';

/**
 * Describes how a server mishandled a request that exceeds its context window, as the rest of a sentence; undefined if it seems to fit. Ollama
 * drops the beginning of such a prompt, and llama.cpp ends the answer at the end of the window; neither reports it.
 * @param tokenLimit requested maximum of tokens of the answer
 */
export function describeExcess(
  { usage, finish }: Pick<ModelAnswer, 'usage' | 'finish'>,
  request: Pick<ModelRequest, 'system' | 'messages'>,
  tokenLimit: number,
): string | undefined {
  const { input = 0, output = 0 } = usage;
  const sent = estimateSentTokens(request);
  if (input > 0 && sent >= SHORTEST_WINDOW && input < sent * LEAST_READ)
    return `read ${formatNumber(input)} tokens of a prompt of about ${formatNumber(sent)}, and dropped the rest without an error: its context window is smaller than the prompt`;
  const window = Math.round((input + output) / WINDOW_STEP) * WINDOW_STEP;
  const isFull = window > 0 && Math.abs(input + output - window) <= WINDOW_SLACK;
  if (finish === 'length' && input > 0 && output < tokenLimit * LEAST_WRITTEN && isFull)
    return `stopped after ${formatNumber(output)} of ${formatNumber(tokenLimit)} tokens, because prompt and answer fill its context window of ${formatNumber(window)} tokens`;
  return undefined;
}

/** Estimates the tokens of a request. Tokenizers produce at least one token for 6.7 characters of English text. */
function estimateSentTokens({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): number {
  const characters = messages.reduce((sum, { content }) => sum + content.length, system.length);
  return Math.ceil(characters / 4);
}

/** Minimum share of the estimate that a server reads if the request fits. */
const LEAST_READ = 0.6;

/** No server's default window is smaller; shorter prompts are not checked by estimate. */
const SHORTEST_WINDOW = 2048;

/** Minimum share of its limit that an answer has if the limit ended it, and not the window. */
const LEAST_WRITTEN = 0.9;

/** Windows are multiples of this; servers count the last tokens differently. */
const WINDOW_STEP = 256;
const WINDOW_SLACK = 4;
