// Workflows read these constants, so this module does not import zod.

/** Reasons why a provider gave no answer. */
export const MODEL_ERROR_KINDS = [
  'rate-limit',
  'unavailable',
  'timeout',
  'connection',
  'bad-key',
  'unknown-model',
  'context-length',
  // The request has more tokens than the account may use in a request or a minute.
  'too-large',
  'refused',
  'bad-request',
  // The requested tier is full.
  'no-capacity',
  // A response that is neither an answer nor a known error: a web page, invalid JSON, no choices.
  'invalid-response',
  // The server answered, although the request does not fit into its context window.
  'window-exceeded',
] as const;

export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number];

const UNREACHABLE: ReadonlySet<string> = new Set<ModelErrorKind>(['unavailable', 'timeout', 'connection']);

/** Returns true if the provider could not be reached, or did not answer in time. */
export function isUnreachable(kind: string): boolean {
  return UNREACHABLE.has(kind);
}

/** Returns true for an error that may end without a fix. */
export function isRetryable(kind: ModelErrorKind): boolean {
  return isUnreachable(kind) || kind === 'rate-limit' || kind === 'no-capacity';
}
