import type { MemoryErrorKind } from '../../schemas/evaluation/memory-error';
import { limitRetryAfter } from '../errors/error';

/** A failed recall. Only this decides what becomes of its instance. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError';

  /** Milliseconds that the memory system asked to wait, at most an hour; absent if negligible. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly kind: MemoryErrorKind,
    message: string,
    retryAfterMs?: number,
  ) {
    super(message);
    this.retryAfterMs = limitRetryAfter(retryAfterMs);
  }

  /** Returns true if the same recall may succeed later without a fix. */
  get isRetryable(): boolean {
    return this.kind === 'memory-away';
  }
}

/**
 * Consequence of the failure of one message. `retryable`: the same message is sent again. `busy`: so it is, for longer, because the memory system
 * asks to wait. `timeout`: so it is, once. `forgotten`: the memory system ended, and may have forgotten the user, who is replayed from the start.
 * `failed`: sending it again would not help.
 */
type Effect = 'retryable' | 'busy' | 'timeout' | 'forgotten' | 'failed';

/** The failure of one message to a memory system. */
export class MessageFailure extends Error {
  override readonly name = 'MessageFailure';

  constructor(
    readonly effect: Effect,
    /** Names the memory system, what it said, and the remedy. */
    message: string,
    /** Milliseconds that the memory system asked to wait. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}
