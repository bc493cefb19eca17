import { z } from 'zod';
import type { Usage } from '../../schemas/model/usage';
import { createSend } from '../call';
import { WireFailure, type Caller } from '../errors/failure';
import { findStatedFailure } from '../errors/failure-body';
import type { ModelAnswer, ModelRequest } from '../model';
import type { Send, SentParameters } from '../parameters';
import { omitUndefined } from '../../schemas/omit-undefined';
import { parseAnswer, tokenCountSchema } from '../parse-answer';

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
    ...request.body,
  };
}

/**
 * The answer in a chat completion.
 * @throws WireFailure when the body is none or says of an error (a gateway's with status 200), or its text broke off
 */
export function parseChatAnswer(completion: unknown, askedModel: string): ModelAnswer {
  const { choices, model, usage, service_tier, error, base_resp } = parseAnswer(
    completionSchema,
    completion,
    'a chat completion',
  );
  const [{ message, finish_reason, error: ownError }] = choices;
  const stated = findStatedFailure({ error: ownError }) ?? findStatedFailure({ error, base_resp });
  if (stated !== undefined) throw new WireFailure(stated);
  if (BROKEN_OFF.has(finish_reason ?? '')) throw new WireFailure(describeBreak(finish_reason));
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

function describeBreak(reason: string | null | undefined) {
  return { status: 502, labels: [], message: `the answer broke off (finish_reason ${reason})` };
}

const completionSchema = z.object({
  error: z.unknown().optional(),
  /** MiniMax's way to state errors. */
  base_resp: z.unknown().optional(),
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
      total_tokens: tokenCountSchema,
      prompt_tokens_details: z
        .object({ cached_tokens: tokenCountSchema, cache_write_tokens: tokenCountSchema })
        .nullish()
        .catch(undefined),
      completion_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** Some gateways count reasoning in the total only: what it has beyond the prompt was written, and is charged. */
function getUsage(usage: z.infer<typeof completionSchema>['usage']): Usage {
  const { prompt_tokens: input, completion_tokens: written, total_tokens: total } = usage ?? {};
  const beyond = input === undefined || total === undefined ? undefined : total - input;
  return omitUndefined({
    input,
    output: beyond !== undefined && beyond > (written ?? 0) ? beyond : written,
    cachedRead: usage?.prompt_tokens_details?.cached_tokens,
    cachedWrite: usage?.prompt_tokens_details?.cache_write_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
  });
}
