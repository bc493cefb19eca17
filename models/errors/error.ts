import { formatCount } from '../../schemas/text/count-text';
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
  // The tier that was asked for is full.
  'no-capacity',
  // A response that is neither an answer nor an error that this program knows: a web page, JSON that does not parse, no choices.
  'invalid-response',
  // The server answered, although the request does not fit into its context window.
  'window-exceeded',
] as const;

export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number];

const PASSING: ReadonlySet<ModelErrorKind> = new Set([
  'rate-limit',
  'unavailable',
  'timeout',
  'connection',
  'no-capacity',
]);

/** Returns true for an error that may pass by itself. */
export function isRetryable(kind: ModelErrorKind): boolean {
  return PASSING.has(kind);
}

/** What a request may do without, when its provider rejects it. */
export type OptionalParameter =
  | 'temperature'
  | 'seed'
  | 'effort'
  | 'cache'
  | 'max_tokens'
  | 'max_completion_tokens'
  /** A conversation in which user and assistant do not take turns, beginning with the user. */
  | 'alternation'
  | 'system-role';

/** Returns true for an error after which the model may be unavailable: it counts for its circuit. */
export function isOutage(kind: ModelErrorKind): boolean {
  return (isRetryable(kind) && kind !== 'no-capacity') || kind === 'invalid-response';
}

/** The longest wait that a provider is granted: a wrong date or unit would otherwise stop a model for years. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * The shortest one. Below it (`Retry-After: 0`, a date that has passed) calls are retried with the normal backoff, which grows: Temporal does not
 * retry at all after a wait of 0.
 */
export const SHORTEST_RETRY_AFTER_MS = 100;

/** A provider's failure, classified. This is the one place that decides whether waiting helps. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  /** Milliseconds to wait: what the provider asked for (Retry-After), at most an hour; absent where that is next to nothing. */
  readonly retryAfterMs?: number;
  /** The parameter that the provider rejected. */
  readonly rejected?: OptionalParameter;
  /** Names the daily quota that is used up. */
  readonly quota?: string;
  /** True for an `invalid-response` of a server that this process has had no answer from: its address may be wrong. */
  readonly isUnknownServer: boolean;

  constructor(
    readonly kind: ModelErrorKind,
    /** Names the provider, what it said, and what to do about it. Never holds a key. */
    message: string,
    retryAfterMs?: number,
    options?: ErrorOptions & {
      readonly rejected?: OptionalParameter | undefined;
      readonly isUnknownServer?: boolean;
      readonly quota?: string | undefined;
    },
  ) {
    const isTooLong = retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS;
    super(isTooLong ? `${message} ${formatLongWait(retryAfterMs)}` : message, options);
    if (options?.quota !== undefined) this.quota = options.quota;
    this.isUnknownServer = options?.isUnknownServer === true;
    if (options?.rejected !== undefined) this.rejected = options.rejected;
    if (retryAfterMs !== undefined && retryAfterMs >= SHORTEST_RETRY_AFTER_MS)
      this.retryAfterMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
  }

  /** Returns true when the same request may succeed later without anybody fixing anything. */
  get isRetryable(): boolean {
    return isRetryable(this.kind);
  }
}

function formatLongWait(retryAfterMs: number): string {
  const hours = Math.round(retryAfterMs / 3_600_000);
  const wait =
    hours > 1 ? formatCount(hours, 'hour') : formatCount(Math.round(retryAfterMs / 60_000), 'minute');
  return `The provider asked us to wait ${Number.isFinite(hours) ? wait : 'indefinitely'}; the model is called again after 1 hour.`;
}
