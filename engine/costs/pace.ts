/**
 * Measures how fast calls are answered. It looks back on two rounds of the calls in flight, for five seconds at least and a minute at most.
 * Pauses are left out, and nothing is said of the first seconds. A worker's report, `cupid status` and the progress of a run all use it.
 * Times are milliseconds of one monotonic clock.
 */
export class Pace {
  /** Amounts done at most once a second, on the clock of the time at work. */
  #readings: Reading[] = [];
  #done = 0;
  #pausedSinceMs: number | undefined;
  #pausedMs = 0;

  /** Begins the measurement with nothing done, unless it has begun. */
  begin(nowMs: number): void {
    if (this.#readings.length === 0) this.record(0, nowMs);
  }

  /** Records the amount done so far. The first record begins the measurement. */
  record(done: number, nowMs: number): void {
    const atMs = this.#workingTime(nowMs);
    const last = this.#readings.at(-1);
    // Retried work no longer counts as done, so earlier readings are useless.
    const isLess = done < this.#done;
    if (isLess) this.#readings = [];
    this.#done = done;
    // Many calls are answered in a second.
    if (isLess || last === undefined || atMs - last.atMs >= RESOLUTION_MS)
      this.#readings.push({ atMs, done });
    this.#forget(atMs);
  }

  /** Stops the clock while no call is sent, and starts it again. */
  setPaused(isPaused: boolean, nowMs: number): void {
    if (isPaused) this.#pausedSinceMs ??= nowMs;
    else if (this.#pausedSinceMs !== undefined) {
      this.#pausedMs += nowMs - this.#pausedSinceMs;
      this.#pausedSinceMs = undefined;
    }
  }

  /** Begins again, when the work is of another kind from now on. @param done amount done so far */
  restart(done: number, nowMs: number): void {
    this.#readings = [];
    this.record(done, nowMs);
  }

  /**
   * Returns the amount per minute; undefined while it was watched too shortly.
   * @param inFlight calls in flight. When they become fewer or more, the pace follows after two rounds of them. Shorter times would
   * show the rhythm of calls that are answered together.
   */
  perMinute(nowMs: number, inFlight: number): number | undefined {
    const atMs = this.#workingTime(nowMs);
    this.#forget(atMs);
    const enough = 2 * Math.max(1, inFlight);
    const isEnough = (reading: Reading) =>
      atMs - reading.atMs >= LEAST_MS && this.#done - reading.done >= enough;
    const first = this.#readings.findLast(isEnough) ?? this.#readings[0];
    if (first === undefined || atMs - first.atMs < LEAST_MS) return undefined;
    return ((this.#done - first.done) / Math.min(atMs - first.atMs, WINDOW_MS)) * 60_000;
  }

  #workingTime(nowMs: number): number {
    return Math.min(nowMs, this.#pausedSinceMs ?? nowMs) - this.#pausedMs;
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

interface Reading {
  readonly atMs: number;
  readonly done: number;
}

const WINDOW_MS = 60_000;
/** A shorter time says nothing: the first calls are sent together. */
const LEAST_MS = 5_000;
const RESOLUTION_MS = 1_000;
