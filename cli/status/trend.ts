import { computeTotals } from '../../engine/costs/ledger';
import { formatAmount } from '../../schemas/text/amount-text';
import { formatNumber } from '../../schemas/text/count-text';
import type { RunStatus } from '../../runs/status/run-status';
import { getWidth } from '../terminal/width';

/** Totals of a run when its status was read. */
export interface StatusReading {
  /** Milliseconds of any monotonic clock. */
  readonly atMs: number;
  /** False while the run is paused or stopped: no bar shows the time before and after. */
  readonly isRunning: boolean;
  readonly calls: number;
  readonly usd: number;
  /** Calls without an answer from the provider. */
  readonly errors: number;
}

/** Takes a reading from a status. Returns none while the ledger is unknown. */
export function takeReadings(
  { state, ledger, cost }: Pick<RunStatus, 'state' | 'ledger' | 'cost'>,
  atMs: number,
): StatusReading[] {
  if (ledger === undefined) return [];
  const { calls, failures } = computeTotals(ledger);
  const errors = Object.values(failures).reduce((sum, count) => sum + count, 0);
  return [{ atMs, isRunning: state === 'running', calls, usd: cost?.usd ?? 0, errors }];
}

/**
 * Renders calls, cost and errors per minute between the last readings as bars. Leaves out pauses, stops, and times too short for a rate.
 * Returns nothing before the second reading.
 * @param width of the lines, in columns
 */
export function renderTrend(readings: readonly StatusReading[], width = getWidth()): string[] {
  const bars = Math.min(MOST_BARS, Math.max(LEAST_BARS, width - INDENT.length - DESCRIPTION_WIDTH));
  const spans = listSpans(readings).slice(-bars);
  if (spans.length === 0) return [];
  const list = (quantity: 'calls' | 'usd' | 'errors') => spans.map((span) => computeRate(span, quantity));
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
const LEAST_BARS = 5;
/** Columns for the text after the bars, such as ` cost/min, at most $1,234.56`. */
const DESCRIPTION_WIDTH = 28;
const LEAST_MS = 1_000;
const INDENT = ' '.repeat(11);
const BARS = '▁▂▃▄▅▆▇█';

/** Two readings between which the run was running. */
type Span = readonly [StatusReading, StatusReading];

function listSpans(readings: readonly StatusReading[]): Span[] {
  const spans: Span[] = [];
  let first: StatusReading | undefined;
  for (const reading of readings) {
    if (!reading.isRunning) first = undefined;
    else if (first === undefined) first = reading;
    else if (reading.atMs - first.atMs >= LEAST_MS) {
      spans.push([first, reading]);
      first = reading;
    }
  }
  return spans;
}

function computeRate([before, after]: Span, quantity: 'calls' | 'usd' | 'errors'): number {
  // A retry or a restart can lower the totals, because it removes work from them.
  return Math.max(0, ((after[quantity] - before[quantity]) / (after.atMs - before.atMs)) * 60_000);
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
