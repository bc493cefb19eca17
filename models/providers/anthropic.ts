import Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { ModelSpec } from '../../schemas/model-spec';
import { callProvider } from '../call';
import { cutAt, endsIn } from './cache-marks';
import { joinedText } from './claude';
import { answerIn } from '../answer-in';
import { SDK_OPTIONS } from '../http';
import { baseUrlOf, keyHint, requiredKey } from '../keys';
import type { CacheHint, ModelAnswer, ModelRequest } from '../model';
import { beginningWithUser } from '../opening';
import type { Send, SentParameters } from '../parameters';
import { withoutEnvironment } from './sdk-environment';
import { inputWithCached, reported, tokenCount } from './token-count';

/**
 * Anthropic's messages, at api.anthropic.com or ANTHROPIC_BASE_URL. Takes no seed.
 * @throws ModelError `bad-key` when ANTHROPIC_API_KEY is missing
 */
export function openAnthropic(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const apiKey = requiredKey('anthropic', environment);
  const client = anthropicClient(environment);
  const caller = { spec: `anthropic:${spec.model}`, keyHint: keyHint('anthropic'), secrets: [apiKey] };
  return (request, parameters, signal) =>
    callProvider(caller, signal, timeoutMs, async (stop) => {
      const { headers, body } = messageOf(spec.model, request, parameters);
      // Not messages.create: it writes a warning to the console at every call of a model that will retire.
      return answerOf(await client.post('/v1/messages', { body, headers, signal: stop }), spec.model);
    });
}

/** @throws ModelError `bad-key` when ANTHROPIC_API_KEY is missing */
export function anthropicClient(environment: NodeJS.ProcessEnv): Anthropic {
  const options = {
    ...SDK_OPTIONS,
    apiKey: requiredKey('anthropic', environment),
    baseURL: baseUrlOf('anthropic', environment),
  };
  return withoutEnvironment(() => new Anthropic(options));
}

/**
 * What goes over the wire. Since its version 2026-10-21, which the SDK asks for, the API refuses every request with a
 * temperature; the version before it takes one from the models that do.
 */
function messageOf(
  model: string,
  request: ModelRequest,
  { temperature, tokenLimit, thinkingBudget, effort, cache }: SentParameters,
) {
  const messages = beginningWithUser(request.messages);
  const inserted = messages.length - request.messages.length;
  return {
    headers: temperature === undefined ? {} : { 'anthropic-version': '2023-06-01' },
    body: {
      model,
      messages: messages.map(({ role, content }, at) => ({
        role,
        content: contentOf(at - inserted, content, cache),
      })),
      max_tokens: tokenLimit,
      ...(request.system === '' ? {} : { system: contentOf('system', request.system, cache) }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(thinkingBudget === undefined
        ? {}
        : { thinking: { type: 'enabled', budget_tokens: thinkingBudget } }),
      ...(effort === undefined ? {} : { output_config: { effort } }),
    },
  };
}

/** A text as it is, or in blocks that are marked where a prefix ends that other calls share. */
function contentOf(message: number | 'system', text: string, cache: CacheHint | undefined) {
  const ends = endsIn(message, text, cache);
  if (ends.length === 0) return text;
  return cutAt(text, ends).map((piece) => ({
    type: 'text',
    text: piece.text,
    ...(piece.marked ? { cache_control: { type: 'ephemeral' } } : {}),
  }));
}

function answerOf(response: unknown, askedModel: string): ModelAnswer {
  const { content, stop_reason, model, usage } = answerIn(messageSchema, response, 'a message');
  return {
    text: joinedText(content.map(({ type, text }) => (type === 'text' ? text : undefined))),
    finish: finishOf(stop_reason),
    model: model ?? askedModel,
    usage: reported({
      input: inputWithCached(
        usage?.input_tokens,
        usage?.cache_read_input_tokens,
        usage?.cache_creation_input_tokens,
      ),
      output: usage?.output_tokens,
      cachedRead: usage?.cache_read_input_tokens,
      cachedWrite: usage?.cache_creation_input_tokens,
      reasoning: usage?.output_tokens_details?.thinking_tokens,
    }),
  };
}

const messageSchema = z.object({
  model: z.string().min(1).optional().catch(undefined),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      cache_read_input_tokens: tokenCount,
      cache_creation_input_tokens: tokenCount,
      output_tokens_details: z.object({ thinking_tokens: tokenCount }).nullish().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

function finishOf(reason: string | null | undefined): ModelAnswer['finish'] {
  if (reason === 'refusal') return 'refused';
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'length' : 'complete';
}
