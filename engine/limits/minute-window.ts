import { WINDOW_MS } from './leases';

/**
 * Limits the amount per minute: never more in any minute, and evenly, because providers also count over seconds. Amounts are recorded by second.
 * Times are milliseconds of one clock.
 */
export class MinuteWindow {
  readonly #seconds = new Map<number, number>();
  #used = 0;
  /** The amount that may pass immediately; below 0 after a larger amount has passed. */
  #credit = Infinity;
  #creditAtMs = 0;

  /** Returns the amount that passed in the last minute. */
  countUsed(nowMs: number): number {
    // Seconds are in ascending order.
    for (const [second, amount] of this.#seconds) {
      if ((second + 1) * 1_000 + WINDOW_MS > nowMs) break;
      this.#seconds.delete(second);
      this.#used -= amount;
    }
    return Math.max(0, this.#used);
  }

  /** Returns the milliseconds until an amount may pass, or 0. It may be late by up to a second when the minute is used up. */
  waitMs(amount: number, limit: number, nowMs: number): number {
    if (limit === Infinity) return 0;
    if (limit <= 0) return RECHECK_MS;
    const usedAmount = this.countUsed(nowMs);
    // An amount above a whole minute's limit passes alone.
    if (usedAmount > 0 && usedAmount + amount > limit) return RECHECK_MS;
    const missing = Math.min(amount, computeBurst(limit)) - this.#creditFor(limit, nowMs);
    return missing <= 1e-9 ? 0 : Math.ceil((missing / limit) * 60_000);
  }

  /** Counts an amount that passes now. Returns the second, for `correct`. */
  add(amount: number, nowMs: number): number {
    const second = Math.floor(nowMs / 1_000);
    this.#count(second, amount);
    return second;
  }

  /** Corrects the amount of a second by a positive or negative difference. */
  correct(second: number, difference: number): void {
    if (this.#seconds.has(second)) this.#count(second, difference);
    else this.#credit -= difference;
  }

  #count(second: number, amount: number): void {
    this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + amount);
    this.#used += amount;
    this.#credit -= amount;
  }

  #creditFor(limit: number, nowMs: number): number {
    const earned = ((nowMs - this.#creditAtMs) / 60_000) * limit;
    this.#credit = Math.min(computeBurst(limit), this.#credit + earned);
    this.#creditAtMs = nowMs;
    return this.#credit;
  }
}

/** Returns the amount that may pass at once after a pause: two seconds' worth. */
function computeBurst(limit: number): number {
  return Math.max(1, limit / 30);
}

/** Milliseconds after which a full minute is checked again, because amounts are recorded by second. */
const RECHECK_MS = 500;
