import OpenAI from 'openai';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { buildChatMessages, buildChatParameters, createChatSend } from './chat-completions';
import { SDK_OPTIONS } from '../http';
import { buildCaller, findBaseUrl, requireKey, findValue } from '../keys';
import type { ModelRequest } from '../model';
import type { Send, SentParameters } from '../parameters';
import { runWithoutEnvironment } from './sdk-environment';
import { cutAtPrefixEnds } from './cache-marks';

/**
 * Opens OpenAI's chat completions, at api.openai.com or OPENAI_BASE_URL.
 * @throws ModelError `bad-key` when OPENAI_API_KEY is missing
 */
export function open({ model }: ModelSpec, environment: NodeJS.ProcessEnv, timeoutMs: number): Send {
  const caller = buildCaller('openai', model, requireKey('openai', environment));
  return createChatSend(caller, createOpenAiClient(environment), model, timeoutMs, buildOpenAiBody);
}

/** @throws ModelError `bad-key` when OPENAI_API_KEY is missing */
export function createOpenAiClient(environment: NodeJS.ProcessEnv): OpenAI {
  const options = {
    ...SDK_OPTIONS,
    apiKey: requireKey('openai', environment),
    baseURL: findBaseUrl('openai', environment),
    organization: findValue(environment, 'OPENAI_ORG_ID'),
    project: findValue(environment, 'OPENAI_PROJECT_ID'),
  };
  return runWithoutEnvironment(() => new OpenAI(options));
}

/** Builds the body on the wire: a single prompt's system text as `developer`, a conversation's as `system` (the reference program). */
export function buildOpenAiBody(model: string, request: ModelRequest, parameters: SentParameters): object {
  const messages = buildChatMessages(request, request.form === 'prompt' ? 'developer' : 'system');
  return {
    model,
    messages: markCachedMessages(messages, request, parameters),
    ...buildChatParameters(parameters, 'max_completion_tokens'),
    ...buildCacheFields(parameters),
    ...request.body,
  };
}

interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/**
 * Returns the fields that control caching of a request's prefix. Models with breakpoints charge for everything that they write, so the
 * request forbids writing if no prefix is shared.
 */
function buildCacheFields({ caching, cache }: SentParameters) {
  return {
    ...(cache === undefined ? {} : { prompt_cache_key: cache.key }),
    ...(caching === 'breakpoints' ? { prompt_cache_options: { mode: 'explicit' } } : {}),
  };
}

/** Returns the messages, split into marked parts at the ends of prefixes; unchanged for a model that finds prefixes by itself. */
function markCachedMessages(
  messages: readonly ChatMessage[],
  { messages: { length } }: ModelRequest,
  { caching, cache }: SentParameters,
) {
  if (caching !== 'breakpoints' || cache === undefined) return messages;
  const before = messages.length - length;
  return messages.map(({ role, content }, at) => {
    const pieces = cutAtPrefixEnds(at < before ? 'system' : at - before, content, cache);
    if (pieces.length === 0) return { role, content };
    const parts = pieces.map(({ text, marked }) => ({
      type: 'text',
      text,
      ...(marked ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {}),
    }));
    return { role, content: parts };
  });
}
