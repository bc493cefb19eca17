import * as z from 'zod';
import { omitUndefined } from '../../schemas/omit-undefined';
import { createAnswerFailure, WireFailure } from '../errors/failure';
import { findStatedFailure } from '../errors/failure-body';
import type { ModelAnswer, ModelRequest } from '../model';
import type { SentParameters } from '../parameters';
import { parseAnswer, pickServedTier, readWithUsage, tokenCountSchema } from '../parse-answer';
import { partSchema, readParts } from './chat-message';

/** Builds the body for OpenAI's Responses API, which has neither seeds nor, in its documentation, breakpoints of caches. */
export function buildResponsesBody(model: string, request: ModelRequest, parameters: SentParameters): object {
  const { temperature, tokenLimit, effort, tier, cache } = parameters;
  return {
    model,
    ...(request.system === '' ? {} : { instructions: request.system }),
    input: request.messages.map(({ role, content }) => ({ role, content })),
    max_output_tokens: tokenLimit,
    store: false,
    ...omitUndefined({
      temperature,
      reasoning: effort === undefined ? undefined : { effort },
      service_tier: tier,
      prompt_cache_key: cache?.key,
    }),
    ...request.body,
  };
}

/**
 * Parses the answer in a response.
 * @throws WireFailure when the body is no response, or contains an error, or it ended in another way than complete or cut off
 */
export function parseResponsesAnswer(response: unknown, askedModel: string): ModelAnswer {
  const { error, status, incomplete_details, output, model, service_tier, usage } = parseAnswer(
    responseSchema,
    response,
    'a response',
  );
  const tokens = omitUndefined({
    input: usage?.input_tokens,
    output: usage?.output_tokens,
    cachedRead: usage?.input_tokens_details?.cached_tokens,
    reasoning: usage?.output_tokens_details?.reasoning_tokens,
  });
  const ending = status ?? 'completed';
  const reason = ending === 'completed' ? ending : (incomplete_details?.reason ?? ending);
  const content = output.flatMap((item) =>
    'content' in item && item.phase !== 'commentary' ? item.content : [],
  );
  const hasReasoning = output.some(({ type }) => type === 'reasoning');
  return readWithUsage(tokens, () => {
    const failure = findStatedFailure({ error });
    if (failure !== undefined) throw new WireFailure(failure);
    if (ending !== 'completed' && ending !== 'incomplete')
      throw new WireFailure(createAnswerFailure(502, `the response has the status ${ending}`));
    return {
      ...readParts(content, reason, hasReasoning),
      model: model ?? askedModel,
      ...pickServedTier(service_tier),
    };
  });
}

const responseSchema = z.object({
  error: z.unknown().optional(),
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish().catch(undefined),
  model: z.string().min(1).optional().catch(undefined),
  service_tier: z.string().optional().catch(undefined),
  output: z.array(
    z.union([
      z.object({
        type: z.literal('message'),
        /** `commentary`: a remark on the way to the answer. */
        phase: z.string().nullish(),
        content: z.array(partSchema),
      }),
      z.object({ type: z.string() }),
    ]),
  ),
  usage: z
    .object({
      input_tokens: tokenCountSchema,
      output_tokens: tokenCountSchema,
      input_tokens_details: z.object({ cached_tokens: tokenCountSchema }).nullish().catch(undefined),
      output_tokens_details: z.object({ reasoning_tokens: tokenCountSchema }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
