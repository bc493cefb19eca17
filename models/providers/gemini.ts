import { GoogleGenAI, ServiceTier, ThinkingLevel } from '@google/genai';
import * as z from 'zod';
import type { Message } from '../../schemas/dataset/message';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { Usage } from '../../schemas/model/usage';
import { parseAnswer, pickServedTier, readWithUsage, tokenCountSchema } from '../parse-answer';
import { createSend } from '../call';
import { WireFailure } from '../errors/failure';
import { findStatedFailure } from '../errors/failure-body';
import { readFinish } from '../finish';
import { fetchProvider } from '../http';
import { buildCaller, findBaseUrl, requireKey } from '../keys';
import type { ModelAnswer, ModelRequest } from '../model';
import { ensureUserOpening } from '../opening';
import type { Send, SentParameters } from '../parameters';
import { runWithoutEnvironment } from './sdk-environment';

/**
 * Opens the Gemini API's generateContent, at generativelanguage.googleapis.com or GOOGLE_GEMINI_BASE_URL.
 * @throws ModelError `bad-key` when neither GOOGLE_API_KEY nor GEMINI_API_KEY is set
 */
export function open({ model }: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const caller = buildCaller('gemini', model, requireKey('gemini', environment));
  const client = createGeminiClient(environment);
  return createSend(caller, timeoutMs, async (request, parameters, abortSignal) => {
    const { contents, config } = buildGeminiRequest(request, parameters);
    const extra = request.body === undefined ? {} : { httpOptions: { extraBody: request.body } };
    const payload = { model, contents, config: { ...config, ...extra, abortSignal } };
    return parseGeminiAnswer(await client.models.generateContent(payload), model);
  });
}

/** @throws ModelError `bad-key` when neither GOOGLE_API_KEY nor GEMINI_API_KEY is set */
export function createGeminiClient(environment: NodeJS.ProcessEnv): GoogleGenAI {
  const options = {
    apiKey: requireKey('gemini', environment),
    // v1, the SDK's default since its version 3, lacks the `-latest` aliases and most preview models.
    apiVersion: 'v1beta',
    // The SDK asks once, because retryOptions is not set.
    httpOptions: {
      baseUrl: findBaseUrl('gemini', environment) ?? 'https://generativelanguage.googleapis.com/',
      fetch: fetchGemini,
    },
  };
  return runWithoutEnvironment(() => new GoogleGenAI(options));
}

/** Fetches a response, and throws a gateway's error with status 200, which the SDK would drop. */
async function fetchGemini(...call: Parameters<typeof fetchProvider>): Promise<Response> {
  const response = await fetchProvider(...call);
  const [input] = call;
  // A failed batch is an answer, with the error in it.
  if (!String(input instanceof Request ? input.url : input).includes(':generateContent')) return response;
  const failure = findStatedFailure(await response.clone().json());
  if (failure !== undefined) throw new WireFailure(failure);
  return response;
}

export function buildGeminiRequest(
  request: ModelRequest,
  { temperature, seed, tokenLimit, effort, tier }: SentParameters,
) {
  return {
    contents: ensureUserOpening(request.messages).map(buildContent),
    config: {
      ...(request.system === '' ? {} : { systemInstruction: request.system }),
      ...(temperature === undefined ? {} : { temperature }),
      maxOutputTokens: tokenLimit,
      ...(seed === undefined ? {} : { seed }),
      ...(effort === undefined ? {} : { thinkingConfig: { thinkingLevel: getThinkingLevel(effort) } }),
      ...(tier === undefined ? {} : { serviceTier: TIERS[tier] }),
    },
  };
}

const TIERS = {
  flex: ServiceTier.FLEX,
  priority: ServiceTier.PRIORITY,
} as const;

/** Returns the SDK's name for a level; the model's default for an unknown effort. */
function getThinkingLevel(effort: string): ThinkingLevel {
  return LEVELS.get(effort.toUpperCase()) ?? ThinkingLevel.THINKING_LEVEL_UNSPECIFIED;
}

const LEVELS = new Map<string, ThinkingLevel>(Object.entries(ThinkingLevel));

/** Converts a message; Gemini calls the assistant `model`. */
function buildContent({ role, content }: Message) {
  return { role: role === 'assistant' ? 'model' : 'user', parts: [{ text: content }] };
}

export function parseGeminiAnswer(response: unknown, askedModel: string): ModelAnswer {
  const answer = parseAnswer(responseSchema, response, 'a generateContent response');
  const candidate = answer.candidates?.[0];
  const parts = candidate?.content?.parts ?? [];
  const isThought = ({ thought }: (typeof parts)[number]) => thought === true;
  const text = parts.map((part) => (isThought(part) ? '' : (part.text ?? ''))).join('');
  const isBlocked = !NOT_BLOCKED.has(answer.promptFeedback?.blockReason);
  return readWithUsage(getUsage(answer.usageMetadata), () => ({
    text,
    ...(isBlocked ? { finish: 'refused' } : readFinish(candidate?.finishReason, text, parts.some(isThought))),
    model: answer.modelVersion ?? askedModel,
    ...pickServedTier(answer.usageMetadata?.serviceTier),
  }));
}

/** A blocked prompt has `promptFeedback` and no candidates; an empty answer may have neither. */
const responseSchema = z
  .object({
    candidates: z
      .array(
        z.object({
          content: z
            .object({
              parts: z
                .array(z.object({ text: z.string().nullish(), thought: z.boolean().nullish() }))
                .nullish(),
            })
            .nullish(),
          finishReason: z.string().nullish(),
        }),
      )
      .nullish(),
    promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
    modelVersion: z.string().min(1).optional().catch(undefined),
    usageMetadata: z
      .object({
        promptTokenCount: tokenCountSchema,
        candidatesTokenCount: tokenCountSchema,
        thoughtsTokenCount: tokenCountSchema,
        cachedContentTokenCount: tokenCountSchema,
        totalTokenCount: tokenCountSchema,
        serviceTier: z.string().optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  })
  .refine((response) => Object.values(response).some((part) => (part ?? undefined) !== undefined));

const NOT_BLOCKED: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  '',
  'BLOCK_REASON_UNSPECIFIED',
  'BLOCKED_REASON_UNSPECIFIED',
]);

/** Reads the usage. Output is the total minus the prompt, because counts of 0 are omitted and thoughts are counted separately. */
function getUsage(usage: z.infer<typeof responseSchema>['usageMetadata']): Usage {
  const { promptTokenCount, totalTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage ?? {};
  const outputTokens =
    totalTokenCount !== undefined && promptTokenCount !== undefined && totalTokenCount >= promptTokenCount
      ? totalTokenCount - promptTokenCount
      : candidatesTokenCount;
  return omitUndefined({
    input: promptTokenCount,
    output: outputTokens,
    cachedRead: usage?.cachedContentTokenCount,
    reasoning: thoughtsTokenCount,
  });
}
