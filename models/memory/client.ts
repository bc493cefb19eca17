import { setTimeout as wait } from 'node:timers/promises';
import { computeBackoffMs, type Backoff } from '../../engine/limits/backoff';
import { omitUndefined } from '../../schemas/omit-undefined';
import { formatCount } from '../../schemas/text/count-text';
import { formatDuration } from '../../schemas/text/numbers';
import { limitTime } from '../call';
import { endSentence, quoteSafely } from '../errors/redact';
import { MemoryError, MessageFailure } from './error';
import { failedReplySchema, type MemoryMessage, type MemoryReply, type Transport } from './messages';

/** Event of a memory system while it is asked, for the run's progress. */
export type MemoryEvent =
  | { readonly type: 'noticed'; readonly about: string; readonly message: string }
  | { readonly type: 'delayed'; readonly cause: string; readonly message: string }
  /** The oldest message without a reply for a while, by `performance.now()`; absent once all have theirs. */
  | { readonly type: 'silent'; readonly name: string; readonly message?: SilentMessage };

interface SilentMessage {
  readonly kind: MemoryMessage['type'];
  readonly sinceMs: number;
}

/** Times of retries and of progress, in milliseconds. */
export interface Timing {
  /** Returns the wait before a message is sent again. Varies, so that messages that fail together are not sent together. */
  readonly backoffMs: (failures: number, backoff: Backoff) => number;
  /** Time for which one message is sent again; and if the memory system asks to wait. */
  readonly retryingMs: number;
  readonly busyMs: number;
  /** Time without a reply after which progress shows it. */
  readonly silentMs: number;
}

export const TIMING: Timing = {
  backoffMs: (failures, backoff) => computeBackoffMs(failures, Math.random(), backoff),
  retryingMs: 120_000,
  busyMs: 30 * 60_000,
  silentMs: 30_000,
};

interface ClientOptions {
  readonly name: string;
  readonly timeoutMs: number;
  readonly observe: (event: MemoryEvent) => void;
  readonly timing: Timing;
}

/** Signals of a call: `stopping` is aborted when nothing should be sent again. */
export interface Signals {
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
}

/** Progress of one recall: timeouts of all its users, and its current user with the number of answered messages. */
export interface RecallProgress {
  user: string;
  timeouts: number;
  answered: number;
}

/**
 * Client of one memory system. Each message is sent again by itself while its failure may pass, so that one lost message
 * does not repeat a user's whole history.
 */
export class MemoryClient {
  /** Whether any message was answered; if not, the configuration may be wrong. */
  hasAnswered = false;
  /** Recalls that failed since the last successful one, and how many of these timed out. */
  streak = beginStreak();
  /** Successful recalls, and how many of these returned nothing. */
  readonly counts = { recalls: 0, empty: 0 };
  readonly #silent = new Set<SilentMessage>();
  /** Messages and recalls that wait before they are sent again. */
  #waiting = 0;

  constructor(
    private readonly transport: Transport,
    private readonly options: ClientOptions,
  ) {}

  get name(): string {
    return this.options.name;
  }

  get isProgram(): boolean {
    return this.transport.end !== undefined;
  }

  /** Ends the program, if there is one. */
  end(): void {
    this.transport.end?.();
  }

  notice(subject: string, message: string): void {
    this.options.observe({ type: 'noticed', about: `${subject} of ${this.name}`, message });
  }

  delay(message: string): void {
    this.options.observe({ type: 'delayed', cause: 'memory', message });
  }

  /** Waits before a recall begins again. */
  async waitAfter(failures: number, signals: Signals): Promise<void> {
    await this.#wait(this.#computeWaitMs(failures), signals);
  }

  #computeWaitMs(failures: number, askedMs?: number): number {
    return this.options.timing.backoffMs(failures, { askedMs, waiting: this.#waiting + 1 });
  }

  async #wait(milliseconds: number, signals: Signals): Promise<void> {
    this.#waiting += 1;
    try {
      await waitUnlessAborted(milliseconds, signals);
    } finally {
      this.#waiting -= 1;
    }
  }

  /**
   * Sends a message until it is answered, or its failure does not pass.
   * @param build makes the message, by the number of its failures before
   * @throws MessageFailure that a new user may not meet, MemoryError if the memory system is away, or the reason of a signal
   */
  async send(
    build: (failures: number) => MemoryMessage,
    progress: RecallProgress,
    signals: Signals,
  ): Promise<MemoryReply> {
    const { retryingMs, busyMs } = this.options.timing;
    let failedAtMs: number | undefined;
    for (let failures = 0; ; failures += 1) {
      try {
        const reply = await this.sendOnce(build(failures), signals.signal);
        progress.answered += 1;
        return reply;
      } catch (error) {
        if (!(error instanceof MessageFailure)) throw error;
        const { effect, message, retryAfterMs } = error;
        if (effect === 'timeout') {
          progress.timeouts += 1;
          if (progress.timeouts >= MOST_TIMEOUTS) throw this.#createTimeoutFailure(message);
          // The program was ended, because it would answer the next message with this reply.
          if (this.isProgram) throw new MessageFailure('forgotten', message);
        }
        const isForgotten = effect === 'forgotten' && (this.isProgram || progress.answered > 0);
        if (effect === 'failed' || isForgotten) throw error;
        const waitMs = this.#computeWaitMs(failures + 1, retryAfterMs);
        if (effect !== 'timeout') failedAtMs ??= performance.now();
        const spentMs = performance.now() + waitMs - (failedAtMs ?? Infinity);
        if (spentMs > (effect === 'busy' ? busyMs : retryingMs)) {
          throw this.#createFinalFailure(error, failures + 1, progress);
        }
        // Most failures pass at once, and are not worth a line.
        if (failures >= QUIET_FAILURES || effect === 'timeout') this.delay(message);
        await this.#wait(waitMs, signals);
      }
    }
  }

  /** Sends a message once. @throws MessageFailure */
  async sendOnce(message: MemoryMessage, signal: AbortSignal): Promise<MemoryReply> {
    const { timeoutMs } = this.options;
    const createError = () =>
      new MessageFailure(
        'timeout',
        `${this.name} did not reply to ${message.type} within ${formatDuration(timeoutMs / 1_000)}.${this.isProgram && !this.hasAnswered ? ` ${FLUSH}` : ''}`,
      );
    const stopWatching = this.#watch(message);
    try {
      const answer = await limitTime(signal, timeoutMs, createError, (stop) =>
        this.transport.send(message, stop),
      );
      refuseFailure(answer.reply, this.name, message.type);
      this.hasAnswered = true;
      return answer;
    } finally {
      stopWatching();
    }
  }

  #createFinalFailure(
    { effect, message, retryAfterMs }: MessageFailure,
    sends: number,
    { answered }: RecallProgress,
  ): Error {
    const text = `${message} It was sent ${formatCount(sends, 'time')}.`;
    // A memory system that answered other messages about this user can be reached, but does not accept this one.
    return answered > 0 && effect !== 'busy'
      ? new MessageFailure('failed', text)
      : new MemoryError('memory-away', text, retryAfterMs);
  }

  #createTimeoutFailure(problem: string): MemoryError {
    return new MemoryError(
      this.hasAnswered ? 'memory-failed' : 'memory-set-up',
      `${problem} This was its second timeout for one user. Look at its log; if it needs more time for a message, allow more, for example with --memory-timeout 30m.`,
    );
  }

  /** Reports a message that has no reply after a while. Returns the function that ends this. */
  #watch({ type: kind }: MemoryMessage): () => void {
    const silent: SilentMessage = { kind, sinceMs: performance.now() };
    const { silentMs } = this.options.timing;
    const timer = setTimeout(() => {
      this.#silent.add(silent);
      this.#showSilence();
      if (!this.isProgram || this.hasAnswered) return;
      this.notice(
        'silence',
        `${this.name} has not replied to its first message for ${formatDuration(silentMs / 1_000)}. It may still be loading. ${FLUSH}`,
      );
    }, silentMs).unref();
    return () => {
      clearTimeout(timer);
      if (this.#silent.delete(silent)) this.#showSilence();
    };
  }

  #showSilence(): void {
    // All wait equally long before they are added, so the first is the oldest.
    const [message] = this.#silent;
    this.options.observe({ type: 'silent', name: this.name, ...omitUndefined({ message }) });
  }
}

const FLUSH =
  'If it prints its replies, it must flush standard output after each: print(…, flush=True) in Python.';

/** Begins the streak of failed recalls after a successful one. */
export function beginStreak() {
  return { failed: 0, timedOut: 0, timedOutAtMs: Number.NEGATIVE_INFINITY };
}

/** A recall ends with this many timeouts, because each takes long, and all before it would be sent again forever. */
const MOST_TIMEOUTS = 2;

/** Failures of a message before progress mentions them. */
const QUIET_FAILURES = 3;

/** @throws the reason of the first signal that is aborted */
async function waitUnlessAborted(milliseconds: number, { signal, stopping }: Signals): Promise<void> {
  const signals = [signal, stopping];
  const stop = new AbortController();
  const passOn = () => stop.abort();
  for (const each of signals) each.addEventListener('abort', passOn, { once: true });
  try {
    for (const each of signals) each.throwIfAborted();
    await wait(milliseconds, undefined, stop);
  } catch (error) {
    for (const each of signals) each.throwIfAborted();
    throw error;
  } finally {
    for (const each of signals) each.removeEventListener('abort', passOn);
  }
}

/** @throws MessageFailure that a memory system reported in its reply */
function refuseFailure(reply: unknown, name: string, type: string): void {
  const failure = failedReplySchema.safeParse(reply);
  if (!failure.success) return;
  const { error, retryAfterMs } = failure.data;
  throw new MessageFailure(
    retryAfterMs === undefined ? 'failed' : 'busy',
    endSentence(`${name} failed at ${type}: ${quoteSafely(error, [])}`),
    retryAfterMs,
  );
}
