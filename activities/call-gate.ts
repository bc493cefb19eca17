import { ModelError } from '../models/error';
import type { CallEstimate } from '../schemas/ledger';
import type { JournalEntry } from '../schemas/journal';
import type { Step } from '../schemas/step';

/** Thrown to a call that has not begun when the worker is about to stop. */
export class GateStopped extends Error {
  override readonly name = 'GateStopped';
}

/** Thrown to a call that the server let go of too long ago to be counted by its rate now: it is to be fetched anew. */
export class CallGrownStale extends Error {
  override readonly name = 'CallGrownStale';
}

/** A model call about to be sent. */
export interface PlannedCall {
  readonly run: string;
  readonly key: string;
  readonly spec: string;
  readonly step: Step;
  readonly estimate: CallEstimate;
}

/** Somebody who has a say in which calls are sent: for a run (its budget, its pauses), or for a model (its limits). */
export interface Guard {
  admits(call: PlannedCall): boolean;
  /** Milliseconds that a call may have waited here; it is given back after that. Absent when it may wait for ever. */
  patience?(call: PlannedCall): number | undefined;
  /** True when nothing of its kind can be sent from here for now: it is given back, for another process to send. */
  turnsAway?(call: PlannedCall): boolean;
  waiting?(call: PlannedCall): void;
  entered(call: PlannedCall): void;
  left(call: PlannedCall, ended: CallEnd): void;
}

/** An answer; or no answer, and what the provider said when it is one that passes by itself. */
export type CallEnd = { readonly entry: JournalEntry } | { readonly failure?: PassingFailure };

export interface PassingFailure {
  readonly kind: string;
  readonly message: string;
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfterMs?: number;
}

function endOf(error: unknown): CallEnd {
  // A full tier says nothing of the model, nor of its limits.
  if (!(error instanceof ModelError) || !error.passing || error.kind === 'no-capacity') return {};
  const { kind, message, retryAfterMs } = error;
  return { failure: { kind, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } };
}

interface Waiting {
  readonly call: PlannedCall;
  readonly guards: readonly Guard[];
  readonly since: number;
  readonly start: () => void;
  readonly giveUp: (error: Error) => void;
}

/**
 * What every model call of this process passes, in the order they came, as soon as all of its guards admit it. Can hold new
 * calls back for a while (a full disk), and can stop for good (Ctrl-C) while those in flight end.
 */
export class CallGate {
  #inFlight = 0;
  #stopped = false;
  readonly #holds = new Set<symbol>();
  #waiting: Waiting[] = [];
  readonly #idle: (() => void)[] = [];

  constructor(private readonly guardsOf: (call: PlannedCall) => readonly Guard[]) {}

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The calls that wait, by what `of` says of them. */
  count(of: (call: PlannedCall) => boolean): number {
    return this.#waiting.filter(({ call }) => of(call)).length;
  }

  /**
   * Sends a call when it may be.
   * @throws GateStopped when the gate stops before that, CallGrownStale when it may be sent, but too late
   */
  async pass(call: PlannedCall, send: () => Promise<JournalEntry>): Promise<JournalEntry> {
    const guards = this.guardsOf(call);
    await new Promise<void>((start, giveUp) => {
      if (this.#stopped) return giveUp(new GateStopped('The worker is stopping.'));
      this.#waiting.push({ call, guards, since: performance.now(), start, giveUp });
      for (const guard of guards) guard.waiting?.(call);
      this.reconsider();
    });
    try {
      const entry = await send();
      for (const guard of guards) guard.left(call, { entry });
      return entry;
    } catch (error) {
      for (const guard of guards) guard.left(call, endOf(error));
      throw error;
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
      this.reconsider();
    }
  }

  /** Lets no new call begin until the returned function is called. */
  hold(): () => void {
    const hold = Symbol('hold');
    this.#holds.add(hold);
    return () => {
      this.#holds.delete(hold);
      this.reconsider();
    };
  }

  /** Lets no new call begin ever again. */
  stop(): void {
    this.#stopped = true;
    for (const { giveUp } of this.#waiting.splice(0)) giveUp(new GateStopped('The worker is stopping.'));
  }

  /** Resolves when no call is in flight. */
  async idle(): Promise<void> {
    while (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Looks again which of the waiting calls may begin: to be called whenever a guard has changed its mind. */
  reconsider(): void {
    if (this.#holds.size > 0 || this.#stopped) return;
    const left: Waiting[] = [];
    for (const waiting of this.#waiting.splice(0)) {
      const { call, guards, since, start, giveUp } = waiting;
      if (guards.some((guard) => guard.turnsAway?.(call) === true)) {
        giveUp(new CallGrownStale('Another process will send this call.'));
      } else if (!guards.every((guard) => guard.admits(call))) {
        left.push(waiting);
      } else if (guards.some((guard) => performance.now() - since > (guard.patience?.(call) ?? Infinity))) {
        giveUp(new CallGrownStale('The call waited too long after its dispatch, so it is dispatched again.'));
      } else {
        this.#inFlight += 1;
        for (const guard of guards) guard.entered(call);
        start();
      }
    }
    this.#waiting = [...left, ...this.#waiting];
  }
}
