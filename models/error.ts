/** Why a provider gave no answer. The first four pass by themselves; the others do not. */
export const MODEL_ERROR_KINDS = [
  'rate-limit',
  'unavailable',
  'timeout',
  'connection',
  'bad-key',
  'unknown-model',
  'context-length',
  // More tokens in one request than the account may use in a minute.
  'too-large',
  'refused',
  'bad-request',
] as const;
export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number];

const PASSING: ReadonlySet<ModelErrorKind> = new Set(['rate-limit', 'unavailable', 'timeout', 'connection']);

/** A provider's failure, classified: the one place that decides whether waiting helps (decision 6). */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    readonly kind: ModelErrorKind,
    /** Names the provider, what it said, and what to do about it. Never holds a key. */
    message: string,
    /** Milliseconds the provider asked to wait (Retry-After). */
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** True when the same request may succeed later without anybody mending anything. */
  get passing(): boolean {
    return PASSING.has(this.kind);
  }
}
