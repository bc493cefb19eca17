import { trimText } from '../schemas/model/answer-text';
import { createAnswerFailure, WireFailure } from './errors/failure';
import type { ModelAnswer } from './model';

/**
 * Reads how an answer ended from the provider's reason. An unknown reason is part of the result: such an answer is complete unless its text looks
 * cut off.
 * @throws WireFailure if the text ended with the model's context window
 */
export function readFinish(
  reason: string | null | undefined,
  text: string,
): Pick<ModelAnswer, 'finish' | 'unknownFinish'> {
  const name = (reason ?? '').toLowerCase();
  if (name === 'model_context_window_exceeded') throw new WireFailure(CONTEXT_FAILURE);
  if (COMPLETE.has(name)) return { finish: 'complete' };
  if (CUT_OFF.has(name)) return { finish: 'length' };
  if (REFUSED.has(name)) return { finish: 'refused' };
  return { finish: looksCutOff(text) ? 'length' : 'complete', unknownFinish: name };
}

const CONTEXT_FAILURE = createAnswerFailure(
  400,
  'the answer ended with the context window of the model (model_context_window_exceeded)',
  ['context_length_exceeded'],
);

/** Reasons of complete answers. Gateways write out fields that providers omit; tool calls are not requested and are no text. */
const COMPLETE: ReadonlySet<string> = new Set([
  '',
  'stop',
  'end_turn',
  'stop_sequence',
  'eos',
  'eos_token',
  'stop_token',
  'complete',
  'completed',
  'finish_reason_unspecified',
  'tool_use',
  'tool_calls',
  'function_call',
]);

const CUT_OFF: ReadonlySet<string> = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'max_completion_tokens',
  'max_length',
  'model_length',
  // A turn of Anthropic's that is to be continued.
  'pause_turn',
]);

const REFUSED: ReadonlySet<string> = new Set([
  'refusal',
  'content_filter',
  'content_filtered',
  'content-filter',
  'guardrail_intervened',
  'safety',
  'recitation',
  'sensitive',
  'prohibited_content',
  'blocklist',
  'spii',
  'language',
  'other',
  'image_safety',
  'malformed_function_call',
  'unexpected_tool_call',
]);

/** Returns true for a text that ends within a sentence, outside of code blocks. */
function looksCutOff(text: string): boolean {
  return /[\p{L}\p{M},([{–-]$/u.test(trimText(text));
}
