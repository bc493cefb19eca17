import { isRetryable, isUnreachable, type ModelErrorKind } from '../../schemas/model/error-kind';
import type { Usage } from '../../schemas/model/usage';
import { formatCount } from '../../schemas/text/count-text';

/** Parts of a request that can be left out if the provider rejects them. */
export type OptionalParameter =
  | 'temperature'
  | 'seed'
  | 'effort'
  | 'cache'
  | 'max_tokens'
  | 'max_completion_tokens'
  /** A conversation in which user and assistant do not alternate, beginning with the user. */
  | 'alternation'
  | 'system-role'
  /** Chat completions, of a model that only the Responses API serves. */
  | 'chat-completions';

/** Returns true for an error that indicates an unavailable model and counts for its circuit. */
export function isOutage(kind: ModelErrorKind): boolean {
  return isUnreachable(kind) || kind === 'rate-limit' || kind === 'invalid-response';
}

/** Maximum wait that a provider is granted: a wrong date or unit could otherwise stop a model for years. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * Minimum wait. Below it (`Retry-After: 0`, a date in the past), the normal, growing backoff applies: Temporal does not retry at all after a wait
 * of 0.
 */
export const SHORTEST_RETRY_AFTER_MS = 100;

/** Limits a wait that somebody else asked for. Returns undefined if it is negligible. */
export function limitRetryAfter(retryAfterMs: number | undefined): number | undefined {
  return retryAfterMs === undefined || retryAfterMs < SHORTEST_RETRY_AFTER_MS
    ? undefined
    : Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
}

/** A provider's failure, classified. Only this decides whether waiting helps. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  /** Milliseconds to wait, from the provider (Retry-After), at most an hour; absent if negligible. */
  readonly retryAfterMs?: number;
  /** The parameter that the provider rejected. */
  readonly rejected?: OptionalParameter;
  /** Name of the exhausted daily quota. */
  readonly quota?: string;
  /** Present if the call was probably charged: the tokens that the provider reported, if any. */
  readonly usage?: Usage;
  /** True for an `invalid-response` from a server that has never answered this process: its address may be wrong. */
  readonly isUnknownServer: boolean;
  /** True for a page that a gateway sends in place of an answer: no model wrote it, so nobody pays for it. */
  readonly isPage: boolean;

  constructor(
    readonly kind: ModelErrorKind,
    /** Names the provider, its message, and the remedy. Never contains a key. */
    message: string,
    retryAfterMs?: number,
    options?: ErrorOptions & {
      readonly rejected?: OptionalParameter | undefined;
      readonly isUnknownServer?: boolean;
      readonly isPage?: boolean;
      readonly quota?: string | undefined;
      readonly usage?: Usage | undefined;
    },
  ) {
    const isTooLong = retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS;
    super(isTooLong ? `${message} ${formatLongWait(retryAfterMs)}` : message, options);
    if (options?.quota !== undefined) this.quota = options.quota;
    if (options?.usage !== undefined) this.usage = options.usage;
    this.isUnknownServer = options?.isUnknownServer === true;
    this.isPage = options?.isPage === true;
    if (options?.rejected !== undefined) this.rejected = options.rejected;
    const waitMs = limitRetryAfter(retryAfterMs);
    if (waitMs !== undefined) this.retryAfterMs = waitMs;
  }

  /** Returns true if the same request may succeed later without a fix. */
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
