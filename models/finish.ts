import type { BetaStopReason as AnthropicReason } from '@anthropic-ai/sdk/resources/beta/messages';
import type { StopReason as BedrockReason } from '@aws-sdk/client-bedrock-runtime';
import type { FinishReason as GeminiReason } from '@google/genai';
import type OpenAI from 'openai';
import type Together from 'together-ai';
import { trimText } from '../schemas/model/answer-text';
import { createAnswerFailure, WireFailure } from './errors/failure';
import type { ModelAnswer } from './model';

/**
 * Reads how an answer ended from the provider's reason. An unknown reason is part of the result: such an answer is complete unless its text looks
 * cut off.
 * @param hasReasoning whether the answer has reasoning beside its text
 * @throws WireFailure if the text ended with the model's context window, or broke off
 */
export function readFinish(
  reason: string | null | undefined,
  text: string,
  hasReasoning: boolean,
): Pick<ModelAnswer, 'finish' | 'failure' | 'unknownFinish'> {
  const name = (reason ?? '').toLowerCase();
  const isEmpty = trimText(text) === '';
  const meaning = MEANINGS.get(name);
  if (meaning === undefined)
    return { finish: looksCutOff(text) ? 'length' : 'complete', unknownFinish: name };
  if (meaning === 'window-full') throw new WireFailure(CONTEXT_FAILURE);
  if (meaning === 'broken-off')
    throw new WireFailure(createAnswerFailure(502, `the answer broke off (${name})`));
  if (meaning === 'cut-off') return { finish: isEmpty && hasReasoning ? 'reasoning' : 'length' };
  // A text before a call is an answer.
  if (meaning === 'tool-call' && !isEmpty) return { finish: 'complete' };
  if (meaning === 'tool-call' || meaning === 'failed') return { finish: 'failed', failure: reason ?? name };
  return { finish: meaning };
}

/** Reads the end of an answer that its provider reports as an error with these labels; undefined for every other error. */
export function readRejectedFinish(
  labels: readonly string[],
): Required<Pick<ModelAnswer, 'finish' | 'failure'>> | undefined {
  const failure = labels.find((label) => MODEL_MISTAKES.has(label));
  return failure === undefined ? undefined : { finish: 'failed', failure };
}

/** Groq's labels for mistakes of the model: it called a tool although it has none, or its text cannot be parsed. */
const MODEL_MISTAKES: ReadonlySet<string> = new Set([
  'tool_use_failed',
  'output_parse_failed',
  'json_validate_failed',
]);

const CONTEXT_FAILURE = createAnswerFailure(
  400,
  'the answer ended with the context window of the model (model_context_window_exceeded)',
  ['context_length_exceeded'],
);

type Meaning =
  | 'complete'
  /** The model called a tool, although it has none: the text before the call is its answer. */
  | 'tool-call'
  /** At the limit on its tokens. */
  | 'cut-off'
  | 'refused'
  /** The model or its server made a mistake: another sample may succeed. */
  | 'failed'
  /** At the end of the model's context window. */
  | 'window-full'
  /** The server failed in the middle of the answer. */
  | 'broken-off';

/** Every reason in the types of the installed SDKs: the compiler demands those that an update adds. */
type SdkReason = Lowercase<
  | AnthropicReason
  | BedrockReason
  | `${GeminiReason}`
  | OpenAI.ChatCompletion.Choice['finish_reason']
  | NonNullable<Together.Chat.ChatCompletion.Choice['finish_reason']>
>;

const SDK_REASONS: Readonly<Record<SdkReason, Meaning>> = {
  // OpenAI, Together
  stop: 'complete',
  eos: 'complete',
  length: 'cut-off',
  content_filter: 'refused',
  tool_calls: 'tool-call',
  function_call: 'tool-call',
  // Anthropic and Bedrock
  end_turn: 'complete',
  stop_sequence: 'complete',
  max_tokens: 'cut-off',
  tool_use: 'tool-call',
  model_context_window_exceeded: 'window-full',
  // Anthropic
  refusal: 'refused',
  // A turn that is to be continued.
  pause_turn: 'cut-off',
  // A summary of the conversation in place of an answer.
  compaction: 'failed',
  // Bedrock
  content_filtered: 'refused',
  guardrail_intervened: 'refused',
  malformed_model_output: 'failed',
  malformed_tool_use: 'failed',
  // Gemini
  finish_reason_unspecified: 'complete',
  continuation: 'cut-off',
  safety: 'refused',
  recitation: 'refused',
  language: 'refused',
  blocklist: 'refused',
  prohibited_content: 'refused',
  spii: 'refused',
  image_safety: 'refused',
  image_prohibited_content: 'refused',
  image_recitation: 'refused',
  // Google names no cause; as a refusal, it is not asked for again and again.
  other: 'refused',
  malformed_function_call: 'failed',
  unexpected_tool_call: 'failed',
  too_many_tool_calls: 'failed',
  no_image: 'failed',
  image_other: 'failed',
};

/** Reasons that servers and gateways send, and no SDK lists. */
const OTHER_REASONS: Readonly<Record<string, Meaning>> = {
  // Gateways write out fields that providers omit.
  '': 'complete',
  eos_token: 'complete',
  stop_token: 'complete',
  complete: 'complete',
  completed: 'complete',
  max_output_tokens: 'cut-off',
  max_completion_tokens: 'cut-off',
  max_length: 'cut-off',
  model_length: 'cut-off',
  'content-filter': 'refused',
  sensitive: 'refused',
  // Gemini
  malformed_response: 'failed',
  missing_thought_signature: 'failed',
  // OpenRouter; vLLM and SGLang; DeepSeek
  error: 'broken-off',
  abort: 'broken-off',
  insufficient_system_resource: 'broken-off',
};

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(Object.entries({ ...SDK_REASONS, ...OTHER_REASONS }));

/** Returns true for a text that ends within a sentence, outside of code blocks. */
function looksCutOff(text: string): boolean {
  return /[\p{L}\p{M},([{–-]$/u.test(trimText(text));
}
