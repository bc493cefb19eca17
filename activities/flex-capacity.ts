import type { SingleTier, Tier } from '../schemas/model/tier';
import { ModelError, SHORTEST_RETRY_AFTER_MS } from '../models/errors/error';

/** Milliseconds between two attempts while the tier is full: doubled after each, up to the longest. */
const FIRST_WAIT = 5_000;
const LONGEST_WAIT = 120_000;

/**
 * Chooser of the tier that calls of one model go to. A tier changes the price of a call and nothing else: it is not part of a request's
 * hash. While the wanted tier is full, one call at a time tries it, with growing pauses. This opens no circuit and counts as no rate
 * limit. After the fallback time the others go to the standard tier.
 */
export class FlexCapacity {
  #fullSince: number | undefined;
  #nextTry = 0;
  #wait = FIRST_WAIT;

  constructor(
    private readonly spec: string,
    private readonly requestedTier: SingleTier,
    /** Milliseconds until calls go to the standard tier; absent: never. */
    private readonly fallbackMs: number | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  isFor(requestedTier: SingleTier, fallbackMs: number | undefined): boolean {
    return this.requestedTier === requestedTier && this.fallbackMs === fallbackMs;
  }

  /** Returns the tier for a call now. @throws ModelError `no-capacity` when it must wait */
  choose(): SingleTier {
    const now = this.now();
    if (this.#fullSince === undefined) return this.requestedTier;
    if (now >= this.#nextTry) {
      this.#nextTry = now + this.#wait;
      return this.requestedTier;
    }
    if (this.fallbackMs !== undefined && now - this.#fullSince >= this.fallbackMs) return 'standard';
    throw this.#full(`${this.spec} waits for capacity of the ${this.requestedTier} tier.`);
  }

  /** Resets the waiting for a tier. Must be called when it answered a call. */
  served(tier: Tier): void {
    if (tier !== this.requestedTier) return;
    this.#fullSince = undefined;
    this.#wait = FIRST_WAIT;
  }

  /** Records that the tier is full, as reported by the provider. Returns the error that makes the call wait. */
  full({ message }: ModelError): ModelError {
    const now = this.now();
    this.#fullSince ??= now;
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    this.#nextTry = Math.max(this.#nextTry, now + this.#wait);
    return this.#full(message);
  }

  #full(message: string): ModelError {
    const wait = Math.max(1_000, this.#nextTry - this.now());
    const falls =
      this.fallbackMs === undefined ? Infinity : (this.#fullSince ?? 0) + this.fallbackMs - this.now();
    return new ModelError('no-capacity', message, Math.max(SHORTEST_RETRY_AFTER_MS, Math.min(wait, falls)));
  }
}
