import { cutText, listPrefixEnds } from './cache-marks';
import type { ModelRequest } from '../model';
import type { SentParameters } from '../parameters';

interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/**
 * The fields that have OpenAI cache a request's prefix. Models that take breakpoints are charged for everything they write: without a
 * prefix to share, they are asked to write nothing.
 */
export function buildCacheFields({ caching, cache }: SentParameters) {
  return {
    ...(cache === undefined ? {} : { prompt_cache_key: cache.key }),
    ...(caching === 'breakpoints' ? { prompt_cache_options: { mode: 'explicit' } } : {}),
  };
}

/** The messages, cut into marked parts where a prefix ends; as they are for a model that finds prefixes by itself. */
export function markCachedMessages(
  messages: readonly ChatMessage[],
  { messages: { length } }: ModelRequest,
  { caching, cache }: SentParameters,
) {
  if (caching !== 'breakpoints' || cache === undefined) return messages;
  const before = messages.length - length;
  return messages.map(({ role, content }, at) => {
    const ends = listPrefixEnds(at < before ? 'system' : at - before, content, cache);
    if (ends.length === 0) return { role, content };
    const parts = cutText(content, ends).map(({ text, marked }) => ({
      type: 'text',
      text,
      ...(marked ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {}),
    }));
    return { role, content: parts };
  });
}
