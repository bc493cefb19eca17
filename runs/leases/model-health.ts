import type { CallEnd } from '../../engine/limits/call-guard';
import { FAILURES_TO_OPEN, type CircuitReport } from '../../engine/limits/circuit';
import type { Directives, WorkerReport } from '../../workflows/messages';

/** Availability of a model as seen by this process: its provider's requests to wait, and its circuit. */
export class ModelHealth {
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #failure: string | undefined;
  #backoffUntilMs = 0;
  #quota: string | undefined;
  #probeAtMs = 0;
  /** Time when its circuit was found open. */
  #openAtMs = 0;
  #directed: Directives['circuit'];

  /** Returns milliseconds until a call may be sent; 0 for now, Infinity when only new information can change it. */
  waitMs(inFlight: number, nowMs: number): number {
    const backoffMs = Math.max(0, this.#backoffUntilMs - nowMs);
    if (!this.isOpen) return backoffMs;
    if (inFlight > 0 || this.#directed === 'open') return Infinity;
    return Math.max(backoffMs, this.#probeAtMs - nowMs);
  }

  get isOpen(): boolean {
    return this.#directed !== undefined || this.#failures >= FAILURES_TO_OPEN;
  }

  sent(nowMs: number): void {
    if (this.isOpen) this.#probeAtMs = nowMs + PROBE_INTERVAL_MS;
  }

  /** Records the end of a call. Returns true if the control should know at once. */
  ended(end: CallEnd, sentAtMs: number, nowMs: number): boolean {
    if ('entry' in end) {
      const wasOpen = this.isOpen;
      // A call sent before the failure does not show that the model is available again.
      if (wasOpen && sentAtMs < this.#openAtMs) return false;
      this.#answeredAtMs = nowMs;
      this.#failures = 0;
      this.#failure = undefined;
      return wasOpen;
    }
    if (end.failure === undefined) return false;
    const { kind, message, retryAfterMs = UNNAMED_BACKOFF_MS, quota } = end.failure;
    if (kind === 'rate-limit') {
      this.#quota = quota;
      this.#backoffUntilMs = Math.max(this.#backoffUntilMs, nowMs + retryAfterMs);
      return true;
    }
    if (!this.isOpen) this.#openAtMs = nowMs;
    this.#failures += 1;
    this.#failure = message;
    return this.#failures === FAILURES_TO_OPEN;
  }

  direct({ backoffMs = 0, circuit }: Directives, nowMs: number): void {
    if (!this.isOpen) this.#openAtMs = nowMs;
    this.#directed = circuit;
    this.#backoffUntilMs = Math.max(this.#backoffUntilMs, nowMs + backoffMs);
  }

  report(nowMs: number): CircuitReport & Pick<WorkerReport, 'retryAfterMs' | 'quota'> {
    const answeredAgoMs = Math.round(nowMs - this.#answeredAtMs);
    const retryAfterMs = Math.round(this.#backoffUntilMs - nowMs);
    return {
      answeredAgoMs: answeredAgoMs === Infinity ? undefined : answeredAgoMs,
      failures: this.#failures,
      failure: this.#failure,
      ...(retryAfterMs > 0 ? { retryAfterMs, quota: this.#quota } : { retryAfterMs: undefined }),
    };
  }
}

/** Backoff for a model whose provider limits its rate without naming a time. */
const UNNAMED_BACKOFF_MS = 2_000;

/** Interval of calls to a model whose circuit is open. */
const PROBE_INTERVAL_MS = 5_000;
