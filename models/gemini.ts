import { GoogleGenAI } from '@google/genai';
import { z } from 'zod';
import type { Message } from '../schemas/message';
import type { ModelSpec } from '../schemas/model-spec';
import type { Usage } from '../schemas/usage';
import { answerIn } from './answer-in';
import { callProvider } from './call';
import { providerFetch } from './http';
import { keyHint, requiredKey, valueOf } from './keys';
import type { Model, ModelAnswer, ModelRequest } from './model';
import { beginningWithUser } from './opening';
import { reported, tokenCount } from './token-count';

/**
 * The Gemini API's generateContent, at generativelanguage.googleapis.com or GOOGLE_GEMINI_BASE_URL.
 * @throws ModelError `bad-key` when neither GOOGLE_API_KEY nor GEMINI_API_KEY is set
 */
export function openGemini(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Model {
  const apiKey = requiredKey('gemini', environment);
  const client = new GoogleGenAI({
    apiKey,
    vertexai: false,
    // Without retryOptions the SDK asks once.
    httpOptions: {
      baseUrl: valueOf(environment, 'GOOGLE_GEMINI_BASE_URL') ?? 'https://generativelanguage.googleapis.com/',
      fetch: providerFetch,
    },
  });
  const caller = { spec: `gemini:${spec.model}`, keyHint: keyHint('gemini'), secrets: [apiKey] };
  return {
    ask: (request, signal) =>
      callProvider(caller, signal, timeoutMs, async (stop) =>
        answerOf(await client.models.generateContent(parameters(spec.model, request, stop)), spec.model),
      ),
  };
}

function parameters(model: string, request: ModelRequest, abortSignal: AbortSignal) {
  return {
    model,
    contents: beginningWithUser(request.messages).map(contentOf),
    config: {
      ...(request.system === '' ? {} : { systemInstruction: request.system }),
      temperature: request.temperature,
      maxOutputTokens: request.maxTokens,
      seed: request.seed,
      abortSignal,
    },
  };
}

/** Gemini calls the assistant `model`. */
function contentOf({ role, content }: Message) {
  return { role: role === 'assistant' ? 'model' : 'user', parts: [{ text: content }] };
}

function answerOf(response: unknown, askedModel: string): ModelAnswer {
  const read = answerIn(responseSchema, response, 'a generateContent response');
  const candidate = read.candidates?.[0];
  const parts = candidate?.content?.parts ?? [];
  return {
    text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
    finish: read.promptFeedback?.blockReason === undefined ? finishOf(candidate?.finishReason) : 'refused',
    model: read.modelVersion ?? askedModel,
    usage: usageOf(read.usageMetadata),
  };
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
                .array(z.object({ text: z.string().optional(), thought: z.boolean().optional() }))
                .optional(),
            })
            .optional(),
          finishReason: z.string().optional(),
        }),
      )
      .optional(),
    promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
    modelVersion: z.string().min(1).optional().catch(undefined),
    usageMetadata: z
      .object({
        promptTokenCount: tokenCount,
        candidatesTokenCount: tokenCount,
        thoughtsTokenCount: tokenCount,
        cachedContentTokenCount: tokenCount,
        totalTokenCount: tokenCount,
      })
      .optional()
      .catch(undefined),
  })
  .refine((response) => Object.values(response).some((part) => part !== undefined));

/** Every ending but these two is the provider's doing: SAFETY, RECITATION, PROHIBITED_CONTENT, BLOCKLIST, SPII, OTHER… */
function finishOf(reason: string | undefined): ModelAnswer['finish'] {
  if (reason === 'MAX_TOKENS') return 'length';
  return reason === undefined || reason === 'STOP' || reason === 'FINISH_REASON_UNSPECIFIED'
    ? 'complete'
    : 'refused';
}

/** Output is what the total has beyond the prompt: a count of 0 is left out, and thoughts are counted apart. */
function usageOf(usage: z.infer<typeof responseSchema>['usageMetadata']): Usage {
  const { promptTokenCount, totalTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage ?? {};
  const written =
    totalTokenCount !== undefined && promptTokenCount !== undefined && totalTokenCount >= promptTokenCount
      ? totalTokenCount - promptTokenCount
      : candidatesTokenCount;
  return reported({
    input: promptTokenCount,
    output: written,
    cachedRead: usage?.cachedContentTokenCount,
    reasoning: thoughtsTokenCount,
  });
}
