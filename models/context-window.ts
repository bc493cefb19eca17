import { formatNumber } from '../schemas/text/count-text';
import type { ModelAnswer, ModelRequest } from './model';

/**
 * How a server answered a request that does not fit into its context window, as the rest of a sentence; undefined when it seems to fit.
 * Ollama drops the front of such a prompt, and llama.cpp ends the answer where the window ends; neither says so.
 * @param tokenLimit most tokens of the answer, as they were asked for
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

/** About how many tokens a request has. No model has fewer for English text than one for 6.7 characters. */
function estimateSentTokens({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): number {
  const characters = messages.reduce((sum, { content }) => sum + content.length, system.length);
  return Math.ceil(characters / 4);
}

/** The part of the estimate that is read at least. */
const LEAST_READ = 0.6;

/** No server has a smaller window by default: shorter prompts are not judged by an estimate. */
const SHORTEST_WINDOW = 2048;

/** The part of its limit that an answer has at least where the limit ended it, not the window. */
const LEAST_WRITTEN = 0.9;

/** Windows are multiples of this; servers count the last tokens differently. */
const WINDOW_STEP = 256;
const WINDOW_SLACK = 4;
