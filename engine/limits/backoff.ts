/**
 * Returns the milliseconds before a failed call is sent again: they double with each failure up to some seconds, and vary, so that calls that fail
 * together are not sent together. An outage needs no longer waits, because then the circuit of the model holds all calls.
 * @param failures of this call, from 1
 * @param draw random number from 0 to 1
 * @param askedMs time that the provider asks to wait, which is a minimum
 */
export function computeBackoffMs(failures: number, draw: number, askedMs = 0): number {
  const mostMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.max(askedMs, Math.round(mostMs * (0.5 + draw / 2)));
}

const FIRST_MS = 250;
const LONGEST_MS = 4_000;
