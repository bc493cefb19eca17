/** A 95 % interval, in the unit of the value it belongs to. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const NOTHING = '–';

/** Returns a time that something takes, rounded up: `45 s`, `12 min`, `4 h 35 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns a share as a percentage with one decimal, without its sign. */
export function formatPercent(share: number | null | undefined): string {
  return formatFixed(share, 100, 1);
}

/** Returns a mean of a judge's scores, with two decimals. */
export function formatScore(score: number | null | undefined): string {
  return formatFixed(score, 1, 2);
}

/** Returns a correlation or an agreement, with three decimals as the paper prints them. */
export function formatCoefficient(value: number | null | undefined): string {
  return formatFixed(value, 1, 3);
}

/** Returns a p with three decimals, or `<0.001` as in the paper. */
export function formatProbability(p: number | null | undefined): string {
  return typeof p === 'number' && p < 0.001 ? '<0.001' : formatCoefficient(p);
}

/** Returns a difference, with the sign of what it is above or below. */
export function formatSigned(
  difference: number | null | undefined,
  text: (value: number | null | undefined) => string,
): string {
  const shown = text(difference);
  return Number(shown) > 0 ? `+${shown}` : shown;
}

/** From the lower bound to the upper one, each with its sign. */
export function formatSignedInterval(
  interval: Interval | null | undefined,
  text: typeof formatPercent,
): string {
  return interval === null || interval === undefined
    ? NOTHING
    : `${formatSigned(interval.low, text)} to ${formatSigned(interval.high, text)}`;
}

function formatFixed(value: number | null | undefined, times: number, decimals: number): string {
  if (value === null || value === undefined) return NOTHING;
  const text = (value * times).toFixed(decimals);
  // What rounds to nothing is neither above nor below it.
  return Number(text) === 0 ? text.replace('-', '') : text;
}
