import OpenAI from 'openai';
import type { ModelSpec } from '../../schemas/model-spec';
import { callProvider } from '../call';
import { cacheFields, cachedMessages } from './openai-caching';
import { chatAnswer, chatMessages, chatParameters } from './chat-completions';
import { SDK_OPTIONS } from '../http';
import { baseUrlOf, keyHint, requiredKey, valueOf } from '../keys';
import type { ModelRequest } from '../model';
import { timeoutFor, type Send, type SentParameters } from '../parameters';
import { withoutEnvironment } from './sdk-environment';

/**
 * OpenAI's chat completions, at api.openai.com or OPENAI_BASE_URL.
 * @throws ModelError `bad-key` when OPENAI_API_KEY is missing
 */
export function openOpenAi(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const apiKey = requiredKey('openai', environment);
  const client = openAiClient(environment);
  const caller = { spec: `openai:${spec.model}`, keyHint: keyHint('openai'), secrets: [apiKey] };
  return (request, parameters, signal) =>
    callProvider(caller, signal, timeoutFor(parameters, timeoutMs), async (stop) => {
      const body = bodyOf(spec.model, request, parameters);
      // Not chat.completions.create, whose types know only some values.
      return chatAnswer(await client.post('/chat/completions', { body, signal: stop }), spec.model);
    });
}

/** @throws ModelError `bad-key` when OPENAI_API_KEY is missing */
export function openAiClient(environment: NodeJS.ProcessEnv): OpenAI {
  const options = {
    ...SDK_OPTIONS,
    apiKey: requiredKey('openai', environment),
    baseURL: baseUrlOf('openai', environment),
    organization: valueOf(environment, 'OPENAI_ORG_ID'),
    project: valueOf(environment, 'OPENAI_PROJECT_ID'),
  };
  return withoutEnvironment(() => new OpenAI(options));
}

/** What goes over the wire: one prompt's system text as `developer`, a conversation's as `system` (the reference program). */
function bodyOf(model: string, request: ModelRequest, parameters: SentParameters) {
  const messages = chatMessages(request, request.form === 'prompt' ? 'developer' : 'system');
  return {
    model,
    messages: cachedMessages(messages, request, parameters),
    ...chatParameters(parameters, 'max_completion_tokens'),
    ...cacheFields(parameters),
  };
}
