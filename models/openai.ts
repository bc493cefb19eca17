import OpenAI from 'openai';
import type { ModelSpec } from '../schemas/model-spec';
import { callProvider } from './call';
import { chatAnswer, chatMessages } from './chat-completions';
import { SDK_OPTIONS } from './http';
import { baseUrlOf, keyHint, requiredKey, valueOf } from './keys';
import type { Model, ModelRequest } from './model';

/**
 * OpenAI's chat completions, at api.openai.com or OPENAI_BASE_URL.
 * @throws ModelError `bad-key` when OPENAI_API_KEY is missing
 */
export function openOpenAi(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Model {
  const apiKey = requiredKey('openai', environment);
  const client = new OpenAI({
    ...SDK_OPTIONS,
    apiKey,
    // Given even where empty, so that the SDK does not look into the process's own environment.
    baseURL: baseUrlOf('openai', environment) ?? null,
    organization: valueOf(environment, 'OPENAI_ORG_ID') ?? null,
    project: valueOf(environment, 'OPENAI_PROJECT_ID') ?? null,
    adminAPIKey: null,
  });
  const caller = { spec: `openai:${spec.model}`, keyHint: keyHint('openai'), secrets: [apiKey] };
  return {
    ask: (request, signal) =>
      callProvider(caller, signal, timeoutMs, async (stop) =>
        chatAnswer(
          await client.chat.completions.create(parameters(spec.model, request), { signal: stop }),
          spec.model,
        ),
      ),
  };
}

/**
 * What goes over the wire: one prompt's system text as `developer`, a conversation's as `system` (the reference
 * program). Reasoning models take neither a temperature nor a seed; o1 takes a temperature of 1.
 */
function parameters(model: string, request: ModelRequest) {
  return {
    model,
    messages: chatMessages(request, request.form === 'prompt' ? 'developer' : 'system'),
    max_completion_tokens: request.maxTokens,
    ...samplingOf(model, request),
  };
}

function samplingOf(model: string, { temperature, seed }: ModelRequest) {
  if (/\bo1\b/.test(model)) return { temperature: 1 };
  return /\b(o3|o4|gpt-5)\b/.test(model) ? {} : { temperature, seed };
}
