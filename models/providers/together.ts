import Together from 'together-ai';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { callProvider } from '../call';
import { parseChatAnswer, buildChatBody } from './chat-completions';
import { SDK_OPTIONS } from '../http';
import { findBaseUrl, formatKeyHint, requireKey } from '../keys';
import type { Send } from '../parameters';
import { runWithoutEnvironment } from './sdk-environment';

/**
 * Together's chat completions, at api.together.ai or TOGETHER_BASE_URL.
 * @throws ModelError `bad-key` when TOGETHER_API_KEY is missing
 */
export function openTogether(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const apiKey = requireKey('together', environment);
  const client = createTogetherClient(environment);
  const caller = { spec: `together:${spec.model}`, keyHint: formatKeyHint('together'), secrets: [apiKey] };
  return (request, parameters, signal) =>
    callProvider(caller, signal, timeoutMs, async (stop) => {
      const body = buildChatBody(spec.model, request, parameters);
      // Not chat.completions.create, whose types know only some values.
      return parseChatAnswer(await client.post('/chat/completions', { body, signal: stop }), spec.model);
    });
}

/** @throws ModelError `bad-key` when TOGETHER_API_KEY is missing */
export function createTogetherClient(environment: NodeJS.ProcessEnv): Together {
  const apiKey = requireKey('together', environment);
  const options = { ...SDK_OPTIONS, apiKey, baseURL: findBaseUrl('together', environment) };
  return runWithoutEnvironment(() => new Together(options));
}
