import type { OptionalParameter } from './error';

/** The parameter that a provider rejected, where the request can do without it; undefined for every other failure. */
export function findRejectedParameter({
  status,
  param,
  message,
}: {
  readonly status?: number;
  readonly param?: string;
  readonly message: string;
}): OptionalParameter | undefined {
  if (status !== 400 && status !== 422) return undefined;
  // A value out of its range names its parameter too, and is the caller's mistake.
  const named = REJECTS.test(message) ? param : undefined;
  const name =
    named ?? NAMING.map((pattern) => pattern.exec(message)?.[1]).find((found) => found !== undefined);
  return name === undefined ? undefined : OPTIONAL.find(([pattern]) => pattern.test(name))?.[1];
}

const REJECTS =
  /unsupported|not support|deprecated|unrecognized|unknown|not permitted|not allowed|extra_forbidden/i;

/** How providers name a parameter that they reject: OpenAI, Anthropic and Bedrock, Gemini, pydantic's users (Anthropic, vLLM). */
const NAMING = [
  /unsupported (?:value|parameter): '([\w.[\]]+)'/i,
  /unrecognized request argument supplied: ([\w.]+)/i,
  /`?\b([\w.]+)`? is deprecated for this model/i,
  /unknown name "([\w.]+)"/i,
  /\b([\w.]+): extra inputs are not permitted/i,
  /extra_forbidden.{0,40}'body', '([\w.]+)'/i,
];

/** By the name in a request's body, at any depth: `messages.0.content.0.cache_control`, `output_config.effort`. */
const OPTIONAL: readonly (readonly [RegExp, OptionalParameter])[] = [
  [/(^|\.)temperature$/, 'temperature'],
  [/(^|\.)seed$/, 'seed'],
  [/(^|\.)(reasoning_?effort|effort|output_?config|thinking_?(config|level))$/i, 'effort'],
  [/prompt_cache_\w+$|cache_?control|cache_?point/i, 'cache'],
  [/^max_tokens$/, 'max_tokens'],
  [/^max_completion_tokens$/, 'max_completion_tokens'],
];
