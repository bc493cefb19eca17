import Anthropic from '@anthropic-ai/sdk';
import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { omitUndefined } from '../../schemas/omit-undefined';
import { createSend } from '../call';
import { readFinish } from '../finish';
import { cutAtPrefixEnds } from './cache-marks';
import { joinText, parseAnswer, readWithUsage, sumInputTokens, tokenCountSchema } from '../parse-answer';
import { SDK_OPTIONS } from '../http';
import { buildCaller, findBaseUrl, requireKey } from '../keys';
import type { CacheHint, ModelAnswer, ModelRequest } from '../model';
import { ensureUserOpening } from '../opening';
import type { Send, SentParameters } from '../parameters';
import { runWithoutEnvironment } from './sdk-environment';

/**
 * Opens Anthropic's messages API, at api.anthropic.com or ANTHROPIC_BASE_URL. It accepts no seed.
 * @throws ModelError `bad-key` when ANTHROPIC_API_KEY is missing
 */
export function open({ model }: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const caller = buildCaller('anthropic', model, requireKey('anthropic', environment));
  const client = createAnthropicClient(environment);
  return createSend(caller, timeoutMs, async (request, parameters, signal) => {
    const { headers, body } = buildAnthropicRequest(model, request, parameters);
    // messages.create would write a warning to the console at every call of a model that will retire.
    return parseAnthropicAnswer(await client.post('/v1/messages', { body, headers, signal }), model);
  });
}

/** @throws ModelError `bad-key` when ANTHROPIC_API_KEY is missing */
export function createAnthropicClient(environment: NodeJS.ProcessEnv): Anthropic {
  const options = {
    ...SDK_OPTIONS,
    apiKey: requireKey('anthropic', environment),
    baseURL: findBaseUrl('anthropic', environment),
  };
  return runWithoutEnvironment(() => new Anthropic(options));
}

/**
 * Builds the request on the wire. Since its version 2026-10-21, which the SDK requests, the API rejects every temperature. The version before
 * accepts one for models that support it.
 */
export function buildAnthropicRequest(
  model: string,
  request: ModelRequest,
  { temperature, tokenLimit, thinkingBudget, effort, cache }: SentParameters,
) {
  const messages = ensureUserOpening(request.messages);
  const inserted = messages.length - request.messages.length;
  return {
    headers: temperature === undefined ? {} : { 'anthropic-version': '2023-06-01' },
    body: {
      model,
      messages: messages.map(({ role, content }, at) => ({
        role,
        content: buildContent(at - inserted, content, cache),
      })),
      max_tokens: tokenLimit,
      ...(request.system === '' ? {} : { system: buildContent('system', request.system, cache) }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(thinkingBudget === undefined
        ? {}
        : { thinking: { type: 'enabled', budget_tokens: thinkingBudget } }),
      ...(effort === undefined ? {} : { output_config: { effort } }),
      ...request.body,
    },
  };
}

/** Returns a text unchanged, or in blocks that mark the ends of shared prefixes. */
function buildContent(message: number | 'system', text: string, cache: CacheHint | undefined) {
  const pieces = cutAtPrefixEnds(message, text, cache);
  if (pieces.length === 0) return text;
  return pieces.map((piece) => ({
    type: 'text',
    text: piece.text,
    ...(piece.marked ? { cache_control: { type: 'ephemeral' } } : {}),
  }));
}

export function parseAnthropicAnswer(response: unknown, askedModel: string): ModelAnswer {
  const { content, stop_reason, model, usage } = parseAnswer(messageSchema, response, 'a message');
  const text = joinText(content.map((block) => (block.type === 'text' ? block.text : undefined)));
  const hasReasoning = content.some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  const tokens = omitUndefined({
    input: sumInputTokens(
      usage?.input_tokens,
      usage?.cache_read_input_tokens,
      usage?.cache_creation_input_tokens,
    ),
    output: usage?.output_tokens,
    cachedRead: usage?.cache_read_input_tokens,
    cachedWrite: usage?.cache_creation_input_tokens,
    reasoning: usage?.output_tokens_details?.thinking_tokens,
  });
  return readWithUsage(tokens, () => ({
    text,
    ...readFinish(stop_reason, text, hasReasoning),
    model: model ?? askedModel,
  }));
}

const messageSchema = z.object({
  model: z.string().min(1).optional().catch(undefined),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: tokenCountSchema,
      output_tokens: tokenCountSchema,
      cache_read_input_tokens: tokenCountSchema,
      cache_creation_input_tokens: tokenCountSchema,
      output_tokens_details: z.object({ thinking_tokens: tokenCountSchema }).nullish().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
