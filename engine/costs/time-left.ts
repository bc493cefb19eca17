import { computeSecondsLeft, Pace } from './pace';

/** Amounts that a run has done and is expected to need still, as last read from its store or its workflow. */
export type WorkReading =
  | {
      readonly of: 'calls';
      readonly done: number;
      readonly left: number;
      /** Calls that this process had answered when it was read. */
      readonly counted: number;
    }
  /** Studies are counted themselves, because their calls are not alike. */
  | { readonly of: 'studies'; readonly done: number; readonly left: number };

/**
 * Estimates the time left of a run, from readings of its work and from the calls of this process. A reading is some seconds old, so calls
 * answered since count as done. The time is never more than what is left divided by the pace. Times are milliseconds of one monotonic clock.
 */
export class TimeLeft {
  readonly #ownPace = new Pace();
  /** Pace of studies, or of the calls that other processes answer for the run. */
  readonly #runPace = new Pace();
  #answered = 0;
  #inFlight = 0;
  #phase: string | undefined;
  #reading: WorkReading | undefined;
  /** True from a time in which this process did not run until the next reading. */
  #wasStopped = false;

  /** Returns the number of calls that this process has answered. */
  get answered(): number {
    return this.#answered;
  }

  callSent(nowMs: number): void {
    this.#inFlight += 1;
    this.#ownPace.begin(nowMs);
  }

  callAnswered(nowMs: number, milliseconds = 0): void {
    this.#inFlight -= 1;
    this.#answered += 1;
    this.#ownPace.record(this.#answered, nowMs, milliseconds);
  }

  /** @param kind kind of its error */
  callFailed(kind: string, nowMs: number): void {
    this.#inFlight -= 1;
    this.#ownPace.recordFailure(kind, nowMs);
  }

  /** Advances the clock. Must be called every TICK_MS, so that time in which this process does not run is left out. */
  tick(nowMs: number): void {
    this.#ownPace.tick(nowMs);
    if (this.#runPace.tick(nowMs)) this.#wasStopped = true;
  }

  /**
   * Takes the newest reading, if there is one.
   * @param phase name of the kind of work. Another phase has another pace.
   */
  read(phase: string | undefined, reading: WorkReading | undefined, nowMs: number): void {
    const isNew = phase !== this.#phase;
    if (isNew && this.#phase !== undefined) this.#ownPace.restart(this.#answered, nowMs);
    this.#phase = phase;
    this.#reading = reading;
    if (reading === undefined) return;
    const doneAmount = reading.of === 'calls' ? reading.done - reading.counted : reading.done;
    this.tick(nowMs);
    if (this.#wasStopped) this.#runPace.skipTo(doneAmount);
    this.#wasStopped = false;
    if (isNew) this.#runPace.restart(doneAmount, nowMs);
    else this.#runPace.record(doneAmount, nowMs);
  }

  setPaused(isPaused: boolean, nowMs: number): void {
    this.tick(nowMs);
    for (const pace of [this.#ownPace, this.#runPace]) pace.setPaused(isPaused, nowMs);
  }

  /** Returns the calls per minute of this process; undefined while that is not known. */
  callsPerMinute(nowMs: number): number | undefined {
    return this.#ownPace.perMinute(nowMs, this.#inFlight);
  }

  /** Returns what is left; undefined while that is not known. No call in flight is done. */
  get left(): number | undefined {
    const reading = this.#reading;
    if (reading?.of !== 'calls') return reading?.left;
    return Math.max(reading.left - (this.#answered - reading.counted), this.#inFlight);
  }

  /** Returns the seconds left; undefined while there is no pace, or what is left is not known. */
  seconds(nowMs: number): number | undefined {
    this.tick(nowMs);
    const left = this.left;
    if (left === undefined) return undefined;
    const byProcess = this.#reading?.of === 'calls' ? (this.callsPerMinute(nowMs) ?? 0) : 0;
    return computeSecondsLeft(left, byProcess + (this.#runPace.perMinute(nowMs, Infinity) ?? 0));
  }
}
