/** Conditions of the wait of a failed call. */
export interface Backoff {
  /** Milliseconds that the provider asks to wait, which are a minimum. */
  readonly askedMs?: number | undefined;
  /** Failed calls of this process that wait, with this one. */
  readonly waiting: number;
}

/**
 * Returns the milliseconds before a failed call is sent again: they double with each failure up to some seconds, and vary, so that calls that fail
 * together are not sent together. The fewer calls wait, the sooner each is sent again, because all of them together are what a provider has to bear.
 * An outage needs no longer waits, because then the circuit of the model holds all calls. A call that fails very often waits longer, in case it fails by
 * itself.
 * @param failures of this call, from 1
 * @param draw random number from 0 to 1
 */
export function computeBackoffMs(failures: number, draw: number, { askedMs = 0, waiting }: Backoff): number {
  const shareMs = Math.max(FIRST_MS, waiting * SHARE_MS, FIRST_MS * 2 ** (failures - MANY));
  const mostMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1), shareMs);
  return Math.max(askedMs, Math.round(mostMs * (0.5 + draw / 2)));
}

const FIRST_MS = 250;
const LONGEST_MS = 4_000;

/** Failures that are rare even where most calls fail. */
const MANY = 20;

/** Time between two of the waiting calls. */
const SHARE_MS = 125;
