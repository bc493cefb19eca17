import { isOutage, ModelError } from '../models/errors/error';
import { MemoryError } from '../models/memory/error';
import type { CallEnd, Guard, PlannedCall } from '../engine/limits/call-guard';
import { FailingCalls } from '../engine/limits/failing-calls';
import { isUnreachable } from '../schemas/model/error-kind';
import { omitUndefined } from '../schemas/omit-undefined';
import type { RunEvents } from './run-events';
import type { JournalEntry } from '../schemas/run/journal';

/** Thrown to a call that has not begun when the worker stops. */
export class GateStopped extends Error {
  override readonly name = 'GateStopped';
}

/**
 * Thrown to a call that cannot be sent from here for now, because other processes were granted the whole amount; it is dispatched again.
 */
export class CallRejected extends Error {
  override readonly name = 'CallRejected';
}

/** Returns true for a failure that a request may cause itself, and that would be retried without limit. */
export function isLasting(error: unknown): boolean {
  if (error instanceof MemoryError) return error.isRetryable;
  return error instanceof ModelError && isUnreachable(error.kind);
}

/**
 * Derives what leases learn of a call without an answer. Nothing of a memory system: each of its messages waits by itself, so it has no circuit.
 */
function deriveCallEnd(error: unknown): CallEnd {
  // A full tier says nothing about the model or its limits.
  if (!(error instanceof ModelError) || !isOutage(error.kind)) return {};
  const { kind, message, retryAfterMs, quota } = error;
  return { failure: { kind, message, ...omitUndefined({ retryAfterMs, quota }) } };
}

interface Waiting {
  readonly call: PlannedCall;
  readonly guards: readonly Guard[];
  readonly start: () => void;
  readonly giveUp: (error: Error) => void;
}

/**
 * Gate of all model calls of this process, in order of arrival, as soon as all guards of a call admit it. It can hold new calls for a while
 * (a full disk), or stop for good (Ctrl-C) while those in flight end.
 */
export class CallGate {
  #inFlight = 0;
  readonly #stopping = new AbortController();
  readonly #holds = new Set<symbol>();
  #waiting: Waiting[] = [];
  readonly #idle: (() => void)[] = [];
  readonly #backingOff = new Set<(error?: Error) => void>();

  /** @param failing calls that failed and were not answered since, by key */
  constructor(
    private readonly events: Pick<RunEvents, 'emit'>,
    readonly failing = new FailingCalls(),
  ) {}

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns the signal that is aborted, with a GateStopped, when the gate stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Returns the number of failed calls that wait before they are sent again. */
  get backingOff(): number {
    return this.#backingOff.size;
  }

  /** Counts the waiting calls that `isCounted` selects. */
  count(isCounted: (call: PlannedCall) => boolean): number {
    return this.#waiting.filter(({ call }) => isCounted(call)).length;
  }

  /**
   * Sends a call as soon as its guards admit it.
   * @param findAnswer looks again for an answer of another process before; then nothing is sent
   * @throws GateStopped when the gate stops before that, CallRejected when another process is to send it
   */
  async pass(
    call: PlannedCall,
    guards: readonly Guard[],
    send: () => Promise<JournalEntry>,
    findAnswer: () => Promise<JournalEntry | undefined> = async () => undefined,
  ): Promise<JournalEntry> {
    this.stopping.throwIfAborted();
    await new Promise<void>((start, giveUp) => {
      // Calls that failed wait like all others: a call that fails by itself must not be the only one that tests whether its model is back.
      this.#waiting.push({ call, guards, start, giveUp });
      this.events.emit({ type: 'waiting', call });
      this.reconsider();
    });
    try {
      const foundEntry = await findAnswer();
      if (foundEntry !== undefined) {
        this.events.emit({ type: 'released', call, end: {} });
        return foundEntry;
      }
      const entry = await send();
      this.failing.answered(call.spec, call.key, performance.now());
      this.events.emit({ type: 'released', call, end: { entry } });
      return entry;
    } catch (error) {
      if (isLasting(error)) this.failing.failed(call.spec, call.key, performance.now());
      this.events.emit({ type: 'released', call, end: deriveCallEnd(error) });
      throw error;
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
      this.reconsider();
    }
  }

  /**
   * Waits before a failed call is sent again; ends early when the signal is aborted.
   * @throws GateStopped when the gate stops before that
   */
  async backOff(waitMs: number, signal: AbortSignal): Promise<void> {
    this.stopping.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error) => {
        clearTimeout(timer);
        this.#backingOff.delete(end);
        signal.removeEventListener('abort', onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = () => end();
      const timer = setTimeout(onAbort, waitMs);
      this.#backingOff.add(end);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) end();
    });
  }

  /** Holds new calls until the returned function is called. */
  hold(): () => void {
    const hold = Symbol('hold');
    this.#holds.add(hold);
    return () => {
      this.#holds.delete(hold);
      this.reconsider();
    };
  }

  /** Stops new calls for good. */
  stop(): void {
    const reason = new GateStopped('The worker is stopping.');
    this.#stopping.abort(reason);
    for (const { giveUp } of this.#waiting.splice(0)) giveUp(reason);
    for (const end of this.#backingOff) end(reason);
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    while (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Checks again which waiting calls may begin. Must be called whenever a guard has changed its decision. */
  reconsider(): void {
    if (this.#holds.size > 0 || this.stopping.aborted) return;
    const left: Waiting[] = [];
    for (const entry of this.#waiting.splice(0)) {
      const { call, guards, start, giveUp } = entry;
      if (guards.some((guard) => guard.rejects?.(call) === true)) {
        giveUp(new CallRejected('Another process will send this call.'));
      } else if (!guards.every((guard) => guard.admits(call))) {
        left.push(entry);
      } else {
        this.#inFlight += 1;
        this.events.emit({ type: 'admitted', call });
        start();
      }
    }
    this.#waiting = [...left, ...this.#waiting];
  }
}
