/** A 95 % interval, in the unit of the value it belongs to. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export const NOTHING = '–';

/** Formats a duration, rounded up: `45 s`, `12 min`, `4 h 35 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a share as a percentage with one decimal, without the sign. */
export function formatPercent(share: number | null | undefined): string {
  return formatFixed(share, 100, 1);
}

/** Formats a mean of a judge's scores with two decimals. */
export function formatScore(score: number | null | undefined): string {
  return formatFixed(score, 1, 2);
}

/** Formats a correlation or an agreement with three decimals, as in the paper. */
export function formatCoefficient(value: number | null | undefined): string {
  return formatFixed(value, 1, 3);
}

/** Formats a p with three decimals, or as `<0.001`, as in the paper. */
export function formatProbability(p: number | null | undefined): string {
  return typeof p === 'number' && p < 0.001 ? '<0.001' : formatCoefficient(p);
}

/** Formats a difference with its sign. */
export function formatSigned(
  difference: number | null | undefined,
  text: (value: number | null | undefined) => string,
): string {
  const differenceText = text(difference);
  return Number(differenceText) > 0 ? `+${differenceText}` : differenceText;
}

/** Formats an interval from the lower to the upper bound, each with its sign. */
export function formatSignedInterval(
  interval: Interval | null | undefined,
  text: typeof formatPercent,
): string {
  return interval === null || interval === undefined
    ? NOTHING
    : `${formatSigned(interval.low, text)} to ${formatSigned(interval.high, text)}`;
}

/** Formats an interval from the lower to the upper bound. */
export function formatInterval(
  interval: Interval | null | undefined,
  text: (value: number) => string,
): string {
  return interval === null || interval === undefined
    ? NOTHING
    : `${text(interval.low)}–${text(interval.high)}`;
}

function formatFixed(value: number | null | undefined, times: number, decimals: number): string {
  if (value === null || value === undefined) return NOTHING;
  const text = (value * times).toFixed(decimals);
  // A difference that rounds to 0 has no sign.
  return Number(text) === 0 ? text.replace('-', '') : text;
}
