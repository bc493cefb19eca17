import type { CallEnd } from '../../engine/limits/call-guard';
import { AdaptiveLimit } from '../../engine/limits/adaptive-limit';
import { RecentOutcomes, type CircuitReport } from '../../engine/limits/circuit';
import type { Directives, WorkerReport } from '../../workflows/messages';

/** Availability of a model as seen by this process: its provider's requests to wait, the calls in flight that it allows, and its circuit. */
export class ModelHealth {
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  /** Duration of the longest answer of late. */
  #answerMs = 0;
  readonly #outcomes = new RecentOutcomes();
  #limit: AdaptiveLimit | undefined;
  #failure: string | undefined;
  #backoffUntilMs = 0;
  #quota: string | undefined;
  /** Calls sent while its circuit is open and not over, by the times when they were sent. */
  readonly #probesAtMs: number[] = [];
  #probeAtMs = 0;
  /** Time when its circuit was found open. */
  #openAtMs = 0;
  #directed: Directives['circuit'];

  /** Returns milliseconds until a call may be sent; 0 for now, Infinity when only new information or the end of a call can change it. */
  waitMs(inFlight: number, nowMs: number): number {
    const backoffMs = Math.max(0, this.#backoffUntilMs - nowMs);
    if (!this.isOpen) return inFlight < this.#adaptive.inFlight ? backoffMs : Infinity;
    // A call from before the outage, or one that hangs, does not hold up the others.
    if (this.#probesAtMs.length >= MOST_PROBES || this.#directed === 'open') return Infinity;
    const hangingSinceMs = this.#probesAtMs.at(-1);
    const nextAtMs =
      hangingSinceMs === undefined ? this.#probeAtMs : hangingSinceMs + LONGEST_PROBE_INTERVAL_MS;
    return Math.max(backoffMs, nextAtMs - nowMs);
  }

  get isOpen(): boolean {
    return this.#directed !== undefined || this.#outcomes.areFailing;
  }

  get #adaptive(): AdaptiveLimit {
    return (this.#limit ??= new AdaptiveLimit());
  }

  sent(nowMs: number): void {
    this.#adaptive.sent(nowMs);
    if (!this.isOpen) return;
    this.#probesAtMs.push(nowMs);
    this.#probeAtMs = nowMs + computeProbeIntervalMs(nowMs - this.#openAtMs);
  }

  /** Records the end of a call. Returns true if the control should know at once. */
  ended(end: CallEnd, sentAtMs: number, nowMs: number): boolean {
    const wasOpen = this.isOpen;
    const wasHeld = this.#adaptive.held !== undefined;
    this.#adaptive.ended(sentAtMs, isRejection(end), nowMs);
    const probe = this.#probesAtMs.indexOf(sentAtMs);
    if (probe >= 0) this.#probesAtMs.splice(probe, 1);
    if ('entry' in end) {
      // A call sent before the failure does not show that the model is available again.
      if (wasOpen && sentAtMs < this.#openAtMs) return false;
      this.#answeredAtMs = nowMs;
      this.#answerMs = Math.max(nowMs - sentAtMs, this.#answerMs * FADING);
      this.#outcomes.record(true, wasOpen);
      return wasOpen;
    }
    if (end.failure === undefined) return false;
    const { kind, message, retryAfterMs, quota } = end.failure;
    if (kind === 'rate-limit' && retryAfterMs !== undefined) {
      this.#quota = quota;
      this.#backoffUntilMs = Math.max(this.#backoffUntilMs, nowMs + retryAfterMs);
      return true;
    }
    // A provider that holds an earlier call, and answers, is available: it has no room for more, or fails some.
    if (this.#adaptive.holdsCallOf(sentAtMs) && this.#isAnswering(nowMs))
      return !wasHeld && this.#adaptive.held !== undefined;
    if (!wasOpen) this.#openAtMs = nowMs;
    this.#outcomes.record(false);
    this.#failure = message;
    return !wasOpen && this.isOpen;
  }

  /** Returns true if the model answered lately, as far as the duration of its answers shows, or has had no time to. */
  #isAnswering(nowMs: number): boolean {
    const silentSinceMs = Math.max(this.#answeredAtMs, this.#adaptive.oldestSentAtMs);
    const isNew = this.#answeredAtMs === Number.NEGATIVE_INFINITY;
    return nowMs - silentSinceMs <= (isNew ? FIRST_ANSWER_MS : ANSWERING_MS + 2 * this.#answerMs);
  }

  direct({ backoffMs = 0, circuit, adaptiveLimit }: Directives, nowMs: number): void {
    this.#limit ??= new AdaptiveLimit(adaptiveLimit);
    if (!this.isOpen) this.#openAtMs = nowMs;
    this.#directed = circuit;
    this.#backoffUntilMs = Math.max(this.#backoffUntilMs, nowMs + backoffMs);
  }

  report(nowMs: number): CircuitReport & Pick<WorkerReport, 'retryAfterMs' | 'quota' | 'adaptiveLimit'> {
    const answeredAgoMs = Math.round(nowMs - this.#answeredAtMs);
    const retryAfterMs = Math.round(this.#backoffUntilMs - nowMs);
    return {
      answeredAgoMs: answeredAgoMs === Infinity ? undefined : answeredAgoMs,
      isFailing: this.#outcomes.areFailing,
      failure: this.#failure,
      adaptiveLimit: this.#limit?.held,
      ...(retryAfterMs > 0 ? { retryAfterMs, quota: this.#quota } : { retryAfterMs: undefined }),
    };
  }
}

/** Returns true for a rejection without a time, false for an answer, undefined for an end that shows nothing about the calls in flight. */
function isRejection(end: CallEnd): boolean | undefined {
  if ('entry' in end) return false;
  const { kind, retryAfterMs } = end.failure ?? {};
  return kind === 'rate-limit' && retryAfterMs === undefined ? true : undefined;
}

/** Calls to a model whose circuit is open. More than one, because one may hang. */
const MOST_PROBES = 3;

/** Part of the longest answer that counts after another. */
const FADING = 0.98;

/** Time for the first answer. */
const FIRST_ANSWER_MS = 120_000;

/** Time without an answer, besides twice that of one, after which rejections show an outage. */
const ANSWERING_MS = 15_000;

const LONGEST_PROBE_INTERVAL_MS = 5_000;

/** Returns the milliseconds between two calls to a model whose circuit is open for a time: what is back soon should not be found late. */
function computeProbeIntervalMs(openMs: number): number {
  return Math.min(LONGEST_PROBE_INTERVAL_MS, Math.max(500, openMs / 4));
}
