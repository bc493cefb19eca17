import { z } from 'zod';
import type { Usage } from '../schemas/usage';
import { WireFailure } from './failure';
import { httpFailure } from './failure-body';
import type { ModelAnswer, ModelRequest } from './model';
import { reported, tokenCount } from './token-count';

/** The request's messages with its system prompt first, unless that is empty. */
export function chatMessages<Role extends 'system' | 'developer'>(request: ModelRequest, systemRole: Role) {
  const system = request.system === '' ? [] : [{ role: systemRole, content: request.system }];
  return [...system, ...request.messages.map(({ role, content }) => ({ role, content }))];
}

/** What servers other than OpenAI's own take: the system prompt as `system`, `max_tokens`, a seed. */
export function chatParameters(model: string, request: ModelRequest) {
  return {
    model,
    messages: chatMessages(request, 'system'),
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    seed: request.seed,
  };
}

/**
 * The answer in a chat completion.
 * @throws WireFailure when the body is none: a gateway's error with status 200, another API's answer
 */
export function chatAnswer(completion: unknown, askedModel: string): ModelAnswer {
  const read = completionSchema.safeParse(completion);
  if (!read.success) throw new WireFailure(notACompletion(completion));
  const { choices, model, usage } = read.data;
  const [{ message, finish_reason }] = choices;
  // Some servers write an empty refusal into every answer.
  const isRefusal = (message.refusal ?? '').trim() !== '';
  return {
    text: message.content ?? message.refusal ?? '',
    finish: isRefusal ? 'refused' : finishOf(finish_reason),
    model: model ?? askedModel,
    usage: usageOf(usage),
  };
}

function finishOf(reason: string | null | undefined): ModelAnswer['finish'] {
  if (reason === 'length') return 'length';
  return reason === 'content_filter' ? 'refused' : 'complete';
}

const completionSchema = z.object({
  model: z.string().min(1).optional().catch(undefined),
  choices: z.tuple(
    [
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    ],
    z.unknown(),
  ),
  usage: z
    .object({
      prompt_tokens: tokenCount,
      completion_tokens: tokenCount,
      prompt_tokens_details: z
        .object({ cached_tokens: tokenCount, cache_write_tokens: tokenCount })
        .nullish()
        .catch(undefined),
      completion_tokens_details: z.object({ reasoning_tokens: tokenCount }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

function usageOf(usage: z.infer<typeof completionSchema>['usage']): Usage {
  return reported({
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
    cachedRead: usage?.prompt_tokens_details?.cached_tokens,
    cachedWrite: usage?.prompt_tokens_details?.cache_write_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
  });
}

/** Gateways (OpenRouter, LiteLLM) answer 200 with an error whose `code` is the status it should have been. */
function notACompletion(body: unknown) {
  const status = gatewayErrorSchema.safeParse(body).data?.error.code ?? 200;
  const failure = httpFailure(status, new Headers(), JSON.stringify(body));
  return status === 200
    ? { ...failure, message: `expected a chat completion, found ${failure.message}` }
    : failure;
}

const gatewayErrorSchema = z.object({ error: z.object({ code: z.number().int().min(400).max(599) }) });
