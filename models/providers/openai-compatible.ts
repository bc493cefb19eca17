import OpenAI from 'openai';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { buildChatBody, createChatSend } from './chat-completions';
import { requireWholePrompts } from '../context-window';
import { ModelError } from '../errors/error';
import { SDK_OPTIONS } from '../http';
import { buildCaller, findKey } from '../keys';
import type { Send } from '../parameters';
import { runWithoutEnvironment } from './sdk-environment';

/**
 * Opens a server that speaks OpenAI's chat completions (vLLM, llama.cpp, Ollama, PrefMatcher), at the SPEC's URL. A key is sent only if
 * OPENAI_COMPATIBLE_API_KEY is set; OpenAI's own is never sent to another server.
 * @throws ModelError `bad-request` when the SPEC has no URL
 */
export function open(spec: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const baseURL = getAddress(spec);
  const key = findKey('openai-compatible', environment);
  const options = {
    ...SDK_OPTIONS,
    baseURL,
    apiKey: key ?? 'none',
    ...(key === undefined ? { defaultHeaders: { authorization: null } } : {}),
  };
  const client = runWithoutEnvironment(() => new OpenAI(options));
  const caller = buildCaller('openai-compatible', `${spec.model}@${baseURL}`, key);
  return requireWholePrompts(caller, createChatSend(caller, client, spec.model, timeoutMs, buildBody));
}

/** Builds the body with `stream: false`, because some servers stream by default. */
function buildBody(...call: Parameters<typeof buildChatBody>): object {
  return { ...buildChatBody(...call), stream: false };
}

function getAddress({ model, url }: ModelSpec): string {
  if (url === undefined) {
    throw new ModelError(
      'bad-request',
      `openai-compatible:${model} needs the server's URL: write openai-compatible:${model}@http://localhost:8000/v1.`,
    );
  }
  return url;
}
