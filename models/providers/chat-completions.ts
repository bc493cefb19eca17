import * as z from 'zod';
import type { Usage } from '../../schemas/model/usage';
import { createSend, findWireFailure } from '../call';
import { WireFailure, type Caller } from '../errors/failure';
import { findStatedFailure } from '../errors/failure-body';
import { readRejectedFinish } from '../finish';
import type { ModelAnswer, ModelRequest } from '../model';
import type { Send, SentParameters } from '../parameters';
import { omitUndefined } from '../../schemas/omit-undefined';
import { parseAnswer, pickServedTier, readWithUsage, tokenCountSchema } from '../parse-answer';
import { chatMessageSchema, readChatMessage } from './chat-message';
import { buildResponsesBody, parseResponsesAnswer } from './responses';

/**
 * Returns a function that asks a server of chat completions once, or its Responses API for a model that is only there.
 * @param client is called with `post`, because the types of `chat.completions.create` allow only some values
 */
export function createChatSend(
  caller: Caller,
  client: { post(path: string, options: { body: unknown; signal: AbortSignal }): PromiseLike<unknown> },
  model: string,
  timeoutMs: number,
  buildBody: (model: string, request: ModelRequest, parameters: SentParameters) => object = buildChatBody,
): Send {
  let hasAnswered = false;
  const ask: Send = async (request, parameters, signal) => {
    if (parameters.api === 'responses') {
      const responsesBody = buildResponsesBody(model, request, parameters);
      return parseResponsesAnswer(await client.post('/responses', { body: responsesBody, signal }), model);
    }
    const body = buildBody(model, request, parameters);
    const completion = await client.post('/chat/completions', { body, signal });
    const answer = parseChatAnswer(completion, model, hasAnswered);
    hasAnswered ||= answer.text.trim() !== '';
    return answer;
  };
  return createSend(caller, timeoutMs, (...call) =>
    ask(...call).catch((error: unknown) => {
      const finish = readRejectedFinish(findWireFailure(error)?.labels ?? []);
      if (finish === undefined) throw error;
      return { text: '', ...finish, model, usage: {} };
    }),
  );
}

/** Returns the request's messages with its system prompt first, unless that is empty. */
export function buildChatMessages<Role extends 'system' | 'developer'>(
  request: ModelRequest,
  systemRole: Role,
) {
  const system = request.system === '' ? [] : [{ role: systemRole, content: request.system }];
  return [...system, ...request.messages.map(({ role, content }) => ({ role, content }))];
}

/** Returns the parameters of a chat completion; a token limit of unknown name is sent as `usual`. */
export function buildChatParameters(
  { temperature, seed, tokenLimit, tokenLimitName, effort, tier }: SentParameters,
  defaultName: NonNullable<SentParameters['tokenLimitName']>,
) {
  const limit =
    (tokenLimitName ?? defaultName) === 'max_tokens'
      ? { max_tokens: tokenLimit }
      : { max_completion_tokens: tokenLimit };
  return {
    ...limit,
    ...omitUndefined({ temperature, seed, reasoning_effort: effort, service_tier: tier }),
  };
}

/** Builds the body of a chat completion for servers other than OpenAI's, whose system prompt has the role `system`. */
export function buildChatBody(model: string, request: ModelRequest, parameters: SentParameters) {
  return {
    model,
    messages: buildChatMessages(request, 'system'),
    ...buildChatParameters(parameters, 'max_tokens'),
    ...request.body,
  };
}

/**
 * Parses the answer in a chat completion.
 * @param hasAnswered whether the server has answered before
 * @throws WireFailure when the body is no completion or contains an error (a gateway's with status 200), or its text broke off
 */
export function parseChatAnswer(completion: unknown, askedModel: string, hasAnswered = false): ModelAnswer {
  const { choices, model, usage, service_tier, error, base_resp } = parseAnswer(
    completionSchema,
    completion,
    'a chat completion',
  );
  const [{ message, finish_reason, error: ownError }] = choices;
  return readWithUsage(getUsage(usage), () => {
    const failure = findStatedFailure({ error: ownError }) ?? findStatedFailure({ error, base_resp });
    if (failure !== undefined) throw new WireFailure(failure);
    return {
      ...readChatMessage(message, finish_reason, hasAnswered),
      model: model ?? askedModel,
      ...pickServedTier(service_tier),
    };
  });
}

const completionSchema = z.object({
  error: z.unknown().optional(),
  /** MiniMax's form of errors. */
  base_resp: z.unknown().optional(),
  model: z.string().min(1).optional().catch(undefined),
  service_tier: z.string().optional().catch(undefined),
  choices: z.tuple(
    [
      z.object({
        message: chatMessageSchema,
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
      total_tokens: tokenCountSchema,
      /** DeepSeek's name for cached tokens, and Moonshot's. */
      prompt_cache_hit_tokens: tokenCountSchema,
      cached_tokens: tokenCountSchema,
      prompt_tokens_details: z
        .object({ cached_tokens: tokenCountSchema, cache_write_tokens: tokenCountSchema })
        .nullish()
        .catch(undefined),
      completion_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/**
 * Reads the usage. Some servers leave cached tokens out of those of the prompt. Some gateways count reasoning in the total only, so everything in it
 * beyond the prompt counts as written, and is charged.
 */
function getUsage(usage: z.infer<typeof completionSchema>['usage']): Usage {
  const {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: total,
  } = usage ?? {};
  const cachedRead =
    usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens ?? usage?.cached_tokens;
  const omitsCached = promptTokens !== undefined && cachedRead !== undefined && cachedRead > promptTokens;
  const input = omitsCached ? promptTokens + cachedRead : promptTokens;
  const billedTokens = input === undefined || total === undefined ? undefined : total - input;
  return omitUndefined({
    input,
    output:
      billedTokens !== undefined && billedTokens > (completionTokens ?? 0) ? billedTokens : completionTokens,
    cachedRead,
    cachedWrite: usage?.prompt_tokens_details?.cache_write_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
  });
}
