/**
 * Limit on the calls of one process that a model has in flight, found from the provider's rejections that name no time. As TCP does, it doubles
 * until calls are rejected, then grows by one after some rounds of answers. After enough rejections it is compared with the calls that the provider held:
 * those that it has not rejected, although a rejection would be there. If they stay below the limit, they are the new limit.
 *
 * Some providers reject calls whatever is in flight. They hold as many as the limit allows nevertheless, so it stays, and rejections delay their own
 * calls only.
 */
export class AdaptiveLimit {
  #inFlight: number;
  #isDoubling: boolean;
  /** Whether rejections lowered it. */
  #isHeld: boolean;
  /** Answers since it changed, and the most calls in flight. */
  #answers = 0;
  #peak = 0;
  /** Rounds of answers before it grows by one: twice as many after each growth that is rejected at once, so that it settles. */
  #rounds = 1;
  /** Whether it grew since it was last compared. */
  #hasGrown = false;
  /** When the calls in flight were sent, oldest first. */
  readonly #sentAtMs: number[] = [];
  #period: Period = { fromMs: 0, rejections: 0, rejectedAfterMs: 0, sent: 0, held: 0 };

  /** @param heldLimit limit that other processes, or earlier ones, found; absent if there is none */
  constructor(heldLimit?: number) {
    this.#isHeld = heldLimit !== undefined;
    this.#isDoubling = heldLimit === undefined;
    this.#inFlight = heldLimit ?? START;
  }

  /** Returns the maximum number of calls in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns the limit if rejections lowered it; undefined while none did. */
  get held(): number | undefined {
    return this.#isHeld ? this.#inFlight : undefined;
  }

  /** Returns true if a call that was sent no later than this is in flight: the provider did not reject it. */
  holdsCallOf(sentAtMs: number): boolean {
    return this.oldestSentAtMs <= sentAtMs;
  }

  /** Returns when the oldest call in flight was sent; Infinity if there is none. */
  get oldestSentAtMs(): number {
    const [oldest = Infinity] = this.#sentAtMs;
    return oldest;
  }

  /** Counts a call that is sent. */
  sent(nowMs: number): void {
    this.#sentAtMs.push(nowMs);
    this.#peak = Math.max(this.#peak, this.#sentAtMs.length);
    this.#period.sent = Math.max(this.#period.sent, this.#sentAtMs.length);
  }

  /**
   * Counts a call that ended.
   * @param isRejection whether it was rejected, without a time
   */
  ended(sentAtMs: number, isRejection: boolean | undefined, nowMs: number): void {
    const at = this.#sentAtMs.indexOf(sentAtMs);
    if (at >= 0) this.#sentAtMs.splice(at, 1);
    if (isRejection === true) {
      this.#period.rejections += 1;
      this.#period.rejectedAfterMs = Math.max(this.#period.rejectedAfterMs, nowMs - sentAtMs);
    } else if (isRejection === false) this.#answered(nowMs);
    this.#observe(nowMs);
  }

  #answered(nowMs: number): void {
    if (this.#isDoubling) {
      this.#inFlight += 1;
      return;
    }
    // Fewer calls than the limit do not show that it could be higher.
    if (this.#peak < this.#inFlight) return;
    this.#answers += 1;
    if (this.#answers < this.#inFlight * this.#rounds) return;
    this.#change(this.#inFlight + 1);
    this.#hasGrown = true;
    this.#begin(nowMs);
  }

  /** Counts what the provider holds, and compares it with the limit at the end of a period. */
  #observe(nowMs: number): void {
    const period = this.#period;
    const { rejections, rejectedAfterMs } = period;
    const isSettled = (sentAtMs: number) => nowMs - sentAtMs > 2 * rejectedAfterMs;
    if (rejections > 0) period.held = Math.max(period.held, this.#sentAtMs.filter(isSettled).length);
    const reachedLimit = Math.min(this.#inFlight, period.sent);
    // Once it is held, one call above it is enough to see that it still is.
    const [enough, share] = this.#isHeld ? [LEAST_REJECTIONS, 1] : [4 * reachedLimit, SHARE];
    const isOver = nowMs - period.fromMs >= Math.max(PERIOD_MS, 4 * rejectedAfterMs);
    if (!isOver || (rejections > 0 && rejections < enough && !this.#isHeld)) return;
    this.#begin(nowMs);
    const hasGrown = this.#hasGrown;
    this.#hasGrown = false;
    if (hasGrown && rejections === 0) this.#rounds = 1;
    const isReached = this.#isDoubling || period.sent >= this.#inFlight;
    // Rejections that take as long as answers do not show what the provider holds.
    if (rejections < enough || !isReached || period.held === 0 || period.held >= reachedLimit * share) return;
    if (hasGrown) this.#rounds = Math.min(MOST_ROUNDS, this.#rounds * 2);
    this.#isDoubling = false;
    this.#isHeld = true;
    this.#change(period.held);
  }

  #begin(nowMs: number): void {
    // One slow rejection does not count forever.
    const rejectedAfterMs = this.#period.rejectedAfterMs / 2;
    this.#period = { fromMs: nowMs, rejections: 0, rejectedAfterMs, sent: this.#sentAtMs.length, held: 0 };
  }

  #change(inFlight: number): void {
    this.#inFlight = inFlight;
    this.#answers = 0;
    this.#peak = this.#sentAtMs.length;
  }
}

/** A time in which calls are rejected, and what the provider holds is observed. */
interface Period {
  readonly fromMs: number;
  rejections: number;
  /** Longest time that a rejection took. */
  rejectedAfterMs: number;
  /** Most calls in flight, and most of them that the provider held. */
  sent: number;
  held: number;
}

const PERIOD_MS = 250;

/** Rejections in a period that show anything. */
const LEAST_REJECTIONS = 3;

/** Share of the calls in flight that a provider holds if their number does not matter to it. */
const SHARE = 0.75;

/** Calls in flight at first. */
const START = 16;

const MOST_ROUNDS = 32;
