import Together from 'together-ai';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { createChatSend } from './chat-completions';
import { SDK_OPTIONS } from '../http';
import { buildCaller, findBaseUrl, requireKey } from '../keys';
import type { Send } from '../parameters';
import { runWithoutEnvironment } from './sdk-environment';

/**
 * Opens Together's chat completions, at api.together.ai or TOGETHER_BASE_URL.
 * @throws ModelError `bad-key` when TOGETHER_API_KEY is missing
 */
export function open({ model }: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const caller = buildCaller('together', model, requireKey('together', environment));
  return createChatSend(caller, createTogetherClient(environment), model, timeoutMs);
}

/** @throws ModelError `bad-key` when TOGETHER_API_KEY is missing */
export function createTogetherClient(environment: NodeJS.ProcessEnv): Together {
  const apiKey = requireKey('together', environment);
  const options = { ...SDK_OPTIONS, apiKey, baseURL: findBaseUrl('together', environment) };
  return runWithoutEnvironment(() => new Together(options));
}
