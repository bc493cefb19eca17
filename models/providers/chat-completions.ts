import { z } from 'zod';
import type { Usage } from '../../schemas/model/usage';
import { createSend } from '../call';
import { WireFailure, type Caller } from '../errors/failure';
import { parseHttpFailure } from '../errors/failure-body';
import type { ModelAnswer, ModelRequest } from '../model';
import type { Send, SentParameters } from '../parameters';
import { omitUndefined } from '../../schemas/omit-undefined';
import { tokenCountSchema } from '../parse-answer';

/**
 * How a server of chat completions is asked once.
 * @param client posts by itself: `chat.completions.create` has types that know only some values
 */
export function createChatSend(
  caller: Caller,
  client: { post(path: string, options: { body: unknown; signal: AbortSignal }): PromiseLike<unknown> },
  model: string,
  timeoutMs: number,
  buildBody: (model: string, request: ModelRequest, parameters: SentParameters) => object = buildChatBody,
): Send {
  return createSend(caller, timeoutMs, async (request, parameters, signal) => {
    const body = buildBody(model, request, parameters);
    return parseChatAnswer(await client.post('/chat/completions', { body, signal }), model);
  });
}

/** The request's messages with its system prompt first, unless that is empty. */
export function buildChatMessages<Role extends 'system' | 'developer'>(
  request: ModelRequest,
  systemRole: Role,
) {
  const system = request.system === '' ? [] : [{ role: systemRole, content: request.system }];
  return [...system, ...request.messages.map(({ role, content }) => ({ role, content }))];
}

/** The parameters of a chat completion; a token limit of unknown name is sent as `usual`. */
export function buildChatParameters(
  { temperature, seed, tokenLimit, tokenLimitName, effort, tier }: SentParameters,
  usual: NonNullable<SentParameters['tokenLimitName']>,
) {
  const limit =
    (tokenLimitName ?? usual) === 'max_tokens'
      ? { max_tokens: tokenLimit }
      : { max_completion_tokens: tokenLimit };
  return {
    ...limit,
    ...omitUndefined({ temperature, seed, reasoning_effort: effort, service_tier: tier }),
  };
}

/** The body of a chat completion for servers other than OpenAI's own, whose system prompt is in the role `system`. */
export function buildChatBody(model: string, request: ModelRequest, parameters: SentParameters) {
  return {
    model,
    messages: buildChatMessages(request, 'system'),
    ...buildChatParameters(parameters, 'max_tokens'),
  };
}

/**
 * The answer in a chat completion.
 * @throws WireFailure when the body is none (a gateway's error with status 200, another API's answer), or its text broke off
 */
export function parseChatAnswer(completion: unknown, askedModel: string): ModelAnswer {
  const read = completionSchema.safeParse(completion);
  if (!read.success) throw new WireFailure(createCompletionError(completion));
  const { choices, model, usage, service_tier } = read.data;
  const [{ message, finish_reason, error }] = choices;
  if ((error !== undefined && error !== null) || BROKEN_OFF.has(finish_reason ?? ''))
    throw new WireFailure(createBreakFailure(error, finish_reason));
  // Some servers write an empty refusal into every answer.
  const isRefusal = (message.refusal ?? '').trim() !== '';
  return {
    text: message.content ?? message.refusal ?? '',
    finish: isRefusal ? 'refused' : getFinish(finish_reason),
    model: model ?? askedModel,
    ...pickServedTier(service_tier),
    usage: getUsage(usage),
  };
}

/** The tier that a response names, unless it is the standard one. */
export function pickServedTier(name: string | undefined): Pick<ModelAnswer, 'tier'> {
  return name === 'flex' || name === 'priority' ? { tier: name } : {};
}

function getFinish(reason: string | null | undefined): ModelAnswer['finish'] {
  if (reason === 'length') return 'length';
  return reason === 'content_filter' ? 'refused' : 'complete';
}

/** Finish reasons of an answer that broke off: from OpenRouter, from vLLM and SGLang, and from DeepSeek. */
const BROKEN_OFF: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource']);

function createBreakFailure(error: unknown, reason: string | null | undefined) {
  const status = gatewayErrorSchema.safeParse({ error }).data?.error.code ?? 502;
  const message = `the answer broke off (finish_reason ${reason ?? 'unknown'})`;
  return parseHttpFailure(status, new Headers(), JSON.stringify({ error: error ?? { message } }));
}

const completionSchema = z.object({
  model: z.string().min(1).optional().catch(undefined),
  service_tier: z.string().optional().catch(undefined),
  choices: z.tuple(
    [
      z.object({
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
        error: z.unknown().optional(),
      }),
    ],
    z.unknown(),
  ),
  usage: z
    .object({
      prompt_tokens: tokenCountSchema,
      completion_tokens: tokenCountSchema,
      prompt_tokens_details: z
        .object({ cached_tokens: tokenCountSchema, cache_write_tokens: tokenCountSchema })
        .nullish()
        .catch(undefined),
      completion_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

function getUsage(usage: z.infer<typeof completionSchema>['usage']): Usage {
  return omitUndefined({
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
    cachedRead: usage?.prompt_tokens_details?.cached_tokens,
    cachedWrite: usage?.prompt_tokens_details?.cache_write_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
  });
}

/** Gateways (OpenRouter, LiteLLM) answer 200 with an error whose `code` is the status it should have been. */
function createCompletionError(body: unknown) {
  const status = gatewayErrorSchema.safeParse(body).data?.error.code ?? 200;
  const failure = parseHttpFailure(status, new Headers(), JSON.stringify(body));
  return status === 200
    ? { ...failure, message: `expected a chat completion, found ${failure.message}` }
    : failure;
}

const gatewayErrorSchema = z.object({ error: z.object({ code: z.number().int().min(400).max(599) }) });
