import Together from 'together-ai';
import type { ModelSpec } from '../schemas/model-spec';
import { callProvider } from './call';
import { chatAnswer, chatParameters } from './chat-completions';
import { SDK_OPTIONS } from './http';
import { baseUrlOf, keyHint, requiredKey } from './keys';
import type { Model } from './model';

/**
 * Together's chat completions, at api.together.ai or TOGETHER_BASE_URL.
 * @throws ModelError `bad-key` when TOGETHER_API_KEY is missing
 */
export function openTogether(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Model {
  const apiKey = requiredKey('together', environment);
  const client = new Together({
    ...SDK_OPTIONS,
    apiKey,
    baseURL: baseUrlOf('together', environment) ?? null,
    projectID: null,
  });
  const caller = { spec: `together:${spec.model}`, keyHint: keyHint('together'), secrets: [apiKey] };
  return {
    ask: (request, signal) =>
      callProvider(caller, signal, timeoutMs, async (stop) =>
        chatAnswer(
          await client.chat.completions.create(chatParameters(spec.model, request), { signal: stop }),
          spec.model,
        ),
      ),
  };
}
