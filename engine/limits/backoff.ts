/**
 * Returns the milliseconds before a failed call is sent again: they double with each failure up to some seconds, and vary, so that calls that fail
 * together are not sent together. The fewer calls wait, the sooner each is sent again, because all of them together are what a provider has to bear.
 * An outage needs no longer waits, because then the circuit of the model holds all calls.
 * @param failures of this call, from 1
 * @param draw random number from 0 to 1
 */
export function computeBackoffMs(
  failures: number,
  draw: number,
  {
    askedMs = 0,
    waiting,
  }: {
    /** Time that the provider asks to wait, which is a minimum. */
    readonly askedMs?: number;
    /** Failed calls of this process that wait, with this one. */
    readonly waiting: number;
  },
): number {
  const mostMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1), Math.max(FIRST_MS, waiting * SHARE_MS));
  return Math.max(askedMs, Math.round(mostMs * (0.5 + draw / 2)));
}

const FIRST_MS = 250;
const LONGEST_MS = 4_000;

/** Time between two of the waiting calls. */
const SHARE_MS = 125;
