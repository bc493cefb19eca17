import type { RunListener } from '../../activities/run-events';
import { AnswerTimes, nameGroup, type SlowCalls } from '../../engine/costs/answer-times';
import type { SentLine } from '../../schemas/run/ledger';
import { formatModelName } from '../../schemas/model/model-spec';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { formatDuration } from '../../schemas/text/numbers';

/** Follows the calls of this process, and finds slow ones: once for each step and model until they are answered, and again after five minutes. */
export class SlowCallWatch {
  readonly #times = new AnswerTimes();
  readonly #inFlight = new Map<string, { readonly line: SentLine; readonly sentMs: number }>();
  /** Whether the slow calls that were returned had waited long, by step and model. */
  #reported = new Map<string, boolean>();

  /** @param nowMs milliseconds of a monotonic clock */
  follow(event: Parameters<RunListener>[0], nowMs: number): void {
    if (event.type === 'sent') this.#inFlight.set(event.id, { line: event.line, sentMs: nowMs });
    else if (event.type === 'answered' || event.type === 'failed') this.#inFlight.delete(event.id);
    // No call is sent meanwhile, and those in flight may have been answered: their answers wait to be stored.
    else if (event.type === 'delayed' && STORING_FAILS.has(event.cause)) this.#inFlight.clear();
    if (event.type === 'answered') this.#times.add(event.line, event.row.durationMs);
  }

  /** Returns the slow calls that were not returned before. */
  findUnreported(nowMs: number): SlowCalls[] {
    const inFlight = [...this.#inFlight.values()].map(({ line: { spec, step }, sentMs }) => ({
      spec,
      step,
      waitedMs: nowMs - sentMs,
    }));
    const unreported: SlowCalls[] = [];
    const reported = new Map<string, boolean>();
    for (const slow of this.#times.findSlow(inFlight)) {
      const name = nameGroup(slow);
      const hadWaitedLong = this.#reported.get(name);
      const hasWaitedLong = slow.waitedMs >= LONG_MS;
      if (hadWaitedLong === undefined || (hasWaitedLong && !hadWaitedLong)) unreported.push(slow);
      reported.set(name, hasWaitedLong || hadWaitedLong === true);
    }
    this.#reported = reported;
    return unreported;
  }
}

/** Wait after which slow calls are reported again. */
const LONG_MS = 5 * 60_000;

/** Causes of delays for which answers wait in memory. */
const STORING_FAILS: ReadonlySet<string> = new Set(['store', 'disk', 'disk-full']);

/** Describes slow calls, and how long answered calls of their step took. */
export function formatSlowCalls({ spec, step, calls, waitedMs, ...answers }: SlowCalls): string {
  const verb = pluralize(calls, 'has', 'have');
  const durations = `a median of ${formatMs(answers.medianMs)}, at most ${formatMs(answers.longestMs)}`;
  return `${formatCount(calls, `${step} call`)} to ${formatModelName(spec)} ${verb} waited for over ${formatWait(waitedMs)}; ${formatNumber(answers.answered)} others took ${durations}`;
}

function formatMs(durationMs: number): string {
  return durationMs < 10_000 ? `${(durationMs / 1_000).toFixed(1)} s` : formatDuration(durationMs / 1_000);
}

/** Formats a wait rounded down. */
function formatWait(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  return formatDuration(seconds < 90 ? seconds : Math.floor(seconds / 60) * 60);
}
