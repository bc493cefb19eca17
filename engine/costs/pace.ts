import { isUnreachable } from '../../schemas/model/error-kind';

/**
 * Measures how fast calls are answered. It looks back on two rounds of the calls in flight, for five seconds at least and a minute at most.
 * Only time in which calls could be answered counts: no pause, no outage of the provider, no time in which the process did not run. Nothing
 * is said of the first seconds. A worker's report, `cupid status` and the progress of a run all use it. Times are milliseconds of one
 * monotonic clock.
 */
export class Pace {
  /** Amounts done at most once a second, on the clock of the time at work. */
  #readings: PaceReading[] = [];
  #done = 0;
  #isPaused = false;
  #lastTickMs: number | undefined;
  #workingMs = 0;
  /** Failures since the last answer that show that the provider may be away, and the working time of the first. */
  #failures = 0;
  #failingSinceMs = 0;
  /** Duration of the last answer, and the working time when it came. */
  #answerMs = 0;
  #answeredAtMs = 0;

  /** Begins the measurement with nothing done, unless it has begun. */
  begin(nowMs: number): void {
    if (this.#readings.length === 0) this.record(0, nowMs);
  }

  /**
   * Advances the clock. Must be called every TICK_MS: if it was not called for long, the process was stopped or its machine slept.
   * @returns true after such a time, which does not count
   */
  tick(nowMs: number): boolean {
    const sinceMs = Math.max(0, nowMs - (this.#lastTickMs ?? nowMs));
    this.#lastTickMs = nowMs;
    const wasStopped = sinceMs > MOST_BETWEEN_TICKS_MS;
    if (!wasStopped && !this.#isPaused) this.#workingMs += sinceMs;
    return wasStopped;
  }

  /**
   * Records the amount done so far. The first record begins the measurement.
   * @param answerMs duration of an answer; absent if the work is not that of one call
   */
  record(amount: number, nowMs: number, answerMs = 0): void {
    this.tick(nowMs);
    const wasAsked = answerMs > this.#workingMs - this.#failingSinceMs;
    if (this.#isAway && !wasAsked) this.#workingMs = this.#failingSinceMs;
    this.#failures = 0;
    this.#answerMs = answerMs;
    this.#answeredAtMs = this.#workingMs;
    const atMs = this.#workingMs;
    const last = this.#readings.at(-1);
    // Retried work no longer counts as done, so earlier readings are useless.
    const isLess = amount < this.#done;
    if (isLess) this.#readings = [];
    this.#done = amount;
    // Many calls are answered in a second.
    if (isLess || last === undefined || atMs - last.atMs >= RESOLUTION_MS)
      this.#readings.push({ atMs, done: amount });
    this.#forget(atMs);
  }

  /**
   * Counts a failed call. After many without an answer, the provider was away since the first. Waiting for a rate limit is part of the pace.
   * @param kind kind of its error
   */
  recordFailure(kind: string, nowMs: number): void {
    this.tick(nowMs);
    if (!isUnreachable(kind)) return;
    if (this.#failures === 0) this.#failingSinceMs = this.#workingMs;
    this.#failures += 1;
  }

  /** Sets the amount done, without counting what was added: other processes did it while this one was stopped. */
  skipTo(amount: number): void {
    const added = amount - this.#done;
    this.#readings = this.#readings.map((reading) => ({ ...reading, done: reading.done + added }));
    this.#done = amount;
  }

  /** Stops the clock while no call is sent, and starts it again. */
  setPaused(isPaused: boolean, nowMs: number): void {
    this.tick(nowMs);
    this.#isPaused = isPaused;
  }

  /** Begins again, when the work is of another kind from now on. @param amount work done so far */
  restart(amount: number, nowMs: number): void {
    this.#readings = [];
    this.record(amount, nowMs);
  }

  /**
   * Returns the amount per minute; undefined while it was watched too shortly, or the provider is away.
   * @param inFlight calls in flight. When they become fewer or more, the pace follows after two rounds of them. Shorter times would
   * show the rhythm of calls that are answered together.
   */
  perMinute(nowMs: number, inFlight: number): number | undefined {
    this.tick(nowMs);
    if (this.#isAway) return undefined;
    const atMs = this.#workingMs;
    this.#forget(atMs);
    const enough = 2 * Math.max(1, inFlight);
    const isEnough = (reading: PaceReading) =>
      atMs - reading.atMs >= LEAST_MS && this.#done - reading.done >= enough;
    const first = this.#readings.findLast(isEnough) ?? this.#readings[0];
    if (first === undefined || atMs - first.atMs < LEAST_MS) return undefined;
    return ((this.#done - first.done) / Math.min(atMs - first.atMs, WINDOW_MS)) * 60_000;
  }

  /** Returns true while nothing is answered. A provider that rejects calls while it works on others is not away. */
  get #isAway(): boolean {
    return (
      this.#failures >= AWAY_FAILURES &&
      this.#workingMs - this.#answeredAtMs > UNANSWERED_MS + 2 * this.#answerMs
    );
  }

  /** Keeps one reading from before the last minute, where that minute began. */
  #forget(atMs: number): void {
    while ((this.#readings[1]?.atMs ?? Infinity) <= atMs - WINDOW_MS) this.#readings.shift();
  }
}

/** Computes the seconds that the rest of the work takes at a pace; undefined while that is unknown, or nothing is done. */
export function computeSecondsLeft(left: number, perMinute: number | undefined): number | undefined {
  return perMinute === undefined || perMinute <= 0 ? undefined : (left / perMinute) * 60;
}

interface PaceReading {
  readonly atMs: number;
  readonly done: number;
}

/** Interval at which the clock must be advanced. */
export const TICK_MS = 1_000;
/** A busy process is late for its timer, but not as late as this. */
const MOST_BETWEEN_TICKS_MS = 5 * TICK_MS;
/** Fewer in sequence show nothing: a provider that fails every other call is slow. */
const AWAY_FAILURES = 10;
/** Time without an answer, besides twice that of the last one, in which a provider may be at work. */
const UNANSWERED_MS = 5_000;
const WINDOW_MS = 60_000;
/** A shorter time says nothing: the first calls are sent together. */
const LEAST_MS = 5_000;
const RESOLUTION_MS = 1_000;
