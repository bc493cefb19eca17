import { computeTotals } from '../../engine/costs/ledger';
import { formatAmount } from '../../schemas/text/amount-text';
import { formatNumber } from '../../schemas/text/count-text';
import type { RunStatus } from '../../runs/status/run-status';

/** Totals of a run when its status was read. */
export interface Reading {
  /** Milliseconds of any monotonic clock. */
  readonly atMs: number;
  readonly calls: number;
  readonly usd: number;
  /** Calls without an answer from the provider. */
  readonly errors: number;
}

/** Takes a reading from a status. Returns none while the ledger is unknown. */
export function takeReadings({ ledger, cost }: Pick<RunStatus, 'ledger' | 'cost'>, atMs: number): Reading[] {
  if (ledger === undefined) return [];
  const { calls, failed } = computeTotals(ledger);
  const errors = Object.values(failed).reduce((sum, count) => sum + count, 0);
  return [{ atMs, calls, usd: cost?.usd ?? 0, errors }];
}

/** Renders calls, cost and errors per minute between the last readings as bars. Returns nothing before the second reading. */
export function renderTrend(readings: readonly Reading[]): string[] {
  const last = readings.slice(-MOST_BARS - 1);
  if (last.length < 2) return [];
  const list = (of: 'calls' | 'usd' | 'errors') => computeRates(last, of);
  const [calls, usd, errors] = [list('calls'), list('usd'), list('errors')];
  return [
    `${'trend'.padEnd(10)} ${renderBars(calls)} calls/min, ${describeHighest(calls, formatCount)}`,
    ...(usd.some((rate) => rate > 0)
      ? [`${INDENT}${renderBars(usd)} cost/min, ${describeHighest(usd, (rate) => formatAmount(rate, 'usd'))}`]
      : []),
    `${INDENT}${renderBars(errors)} errors/min, ${describeHighest(errors, formatCount)}`,
  ];
}

const MOST_BARS = 60;
const INDENT = ' '.repeat(11);
const BARS = '▁▂▃▄▅▆▇█';

function computeRates(readings: readonly Reading[], of: 'calls' | 'usd' | 'errors'): number[] {
  return readings.slice(1).map((reading, at) => {
    const before = readings[at] ?? reading;
    const minutes = (reading.atMs - before.atMs) / 60_000;
    // A retry or a restart can lower the totals, because it removes work from them.
    return minutes > 0 ? Math.max(0, (reading[of] - before[of]) / minutes) : 0;
  });
}

/** Renders rates as bars, scaled to the highest rate. */
function renderBars(rates: readonly number[]): string {
  const highest = Math.max(...rates);
  return rates
    .map((rate) => BARS[highest === 0 ? 0 : Math.ceil((rate / highest) * (BARS.length - 1))] ?? '')
    .join('');
}

function formatCount(rate: number): string {
  return formatNumber(Math.round(rate));
}

function describeHighest(rates: readonly number[], text: (rate: number) => string): string {
  const highest = Math.max(...rates);
  return highest === 0 ? 'none' : `at most ${text(highest)}`;
}
