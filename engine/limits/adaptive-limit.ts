/**
 * Limit on the calls of one process that a model has in flight, found from the provider's rejections that name no time. As TCP does, it doubles
 * until the first rejection, then grows by one after some rounds of answers. A rejection lowers it to the number of calls that the provider has
 * accepted, so what it holds is what the provider gives.
 *
 * Some providers reject calls whatever is in flight. If calls are still rejected after the limit was lowered several times in a row, the limit is
 * not the cause: it is restored, and rejections only delay their own calls for a while.
 */
export class AdaptiveLimit {
  #inFlight: number;
  #isDoubling = true;
  /** Whether a rejection lowered it. */
  #isHeld: boolean;
  /** Answers since it changed, and the most calls in flight. */
  #answers = 0;
  #peak = 0;
  /** Rounds of answers before it grows by one: twice as many after each growth that is rejected at once, so that it settles. */
  #rounds = 1;
  /** Whether it grew, and no round of answers has shown yet that the provider accepts that. */
  #isTrying = false;
  #loweredAtMs = Number.NEGATIVE_INFINITY;
  /** Times in a row that it was lowered without a growth between. */
  #lowered = 0;
  #inFlightBefore = 0;
  #ignoresUntilMs = Number.NEGATIVE_INFINITY;
  #ignoresMs = FIRST_IGNORED_MS;

  /** @param held limit that other processes, or earlier ones, found; absent if there is none */
  constructor(held?: number) {
    this.#isHeld = held !== undefined;
    this.#isDoubling = held === undefined;
    this.#inFlight = held ?? START;
  }

  /** Returns the maximum number of calls in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns the limit if a rejection lowered it; undefined while none did. */
  get held(): number | undefined {
    return this.#isHeld ? this.#inFlight : undefined;
  }

  /**
   * Counts an answer.
   * @param inFlight calls still in flight
   */
  answered(inFlight: number): void {
    if (this.#isDoubling) {
      this.#inFlight += 1;
      return;
    }
    // Fewer calls than the limit do not show that it could be higher.
    this.#peak = Math.max(this.#peak, inFlight + 1);
    if (this.#peak < this.#inFlight) return;
    this.#answers += 1;
    if (this.#isTrying && this.#answers >= this.#inFlight) {
      this.#isTrying = false;
      this.#rounds = 1;
    }
    if (this.#answers < this.#inFlight * this.#rounds) return;
    this.#inFlight += 1;
    this.#isTrying = true;
    this.#answers = 0;
    this.#peak = 0;
    this.#lowered = 0;
  }

  /**
   * Counts a rejection without a time.
   * @param sentAtMs when its call was sent
   * @param inFlight calls still in flight
   */
  rejected(sentAtMs: number, inFlight: number, nowMs: number): void {
    if (nowMs < this.#ignoresUntilMs) return;
    const accepted = Math.max(1, Math.min(this.#inFlight, inFlight));
    if (sentAtMs < this.#loweredAtMs) {
      // It belongs to the same burst, whose accepted calls are known once all its rejections are there.
      this.#inFlight = accepted;
      return;
    }
    if (this.#lowered === 0) this.#inFlightBefore = Math.min(this.#inFlight, inFlight + 1);
    if (this.#isTrying) this.#rounds = Math.min(MOST_ROUNDS, this.#rounds * 2);
    this.#isTrying = false;
    this.#isDoubling = false;
    this.#lowered += 1;
    this.#answers = 0;
    this.#peak = 0;
    if (this.#lowered > MOST_LOWERED) {
      this.#inFlight = Math.max(this.#inFlight, this.#inFlightBefore);
      this.#isHeld = false;
      this.#lowered = 0;
      this.#isDoubling = true;
      this.#ignoresUntilMs = nowMs + this.#ignoresMs;
      this.#ignoresMs = Math.min(LONGEST_IGNORED_MS, this.#ignoresMs * 2);
      return;
    }
    this.#isHeld = true;
    this.#loweredAtMs = nowMs;
    this.#inFlight = this.#lowered === 1 ? accepted : Math.max(1, Math.floor(accepted * AGAIN));
  }
}

/** Calls in flight at first. */
const START = 16;

/** Share of the accepted calls that remains when it is lowered again. */
const AGAIN = 0.8;

/** Times in a row after which rejections do not depend on the calls in flight. */
const MOST_LOWERED = 3;

const MOST_ROUNDS = 32;

/** Milliseconds for which such rejections do not lower the limit; doubled each time. */
const FIRST_IGNORED_MS = 60_000;
const LONGEST_IGNORED_MS = 16 * 60_000;
