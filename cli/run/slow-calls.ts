import type { RunListener } from '../../activities/run-events';
import { AnswerTimes, type SlowCalls } from '../../engine/costs/slow-calls';
import type { SentLine } from '../../engine/costs/ledger';
import { formatModelName } from '../../schemas/model/model-spec';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { formatDuration } from '../../schemas/text/numbers';

/** Follows the calls of this process, and finds slow ones: once for each step and model. */
export class SlowCallWatch {
  readonly #times = new AnswerTimes();
  readonly #inFlight = new Map<string, { readonly line: SentLine; readonly sentMs: number }>();
  readonly #named = new Set<string>();

  /** @param nowMs milliseconds of a monotonic clock */
  follow(event: Parameters<RunListener>[0], nowMs: number): void {
    if (event.type === 'sent') this.#inFlight.set(event.id, { line: event.line, sentMs: nowMs });
    else if (event.type === 'answered' || event.type === 'failed') this.#inFlight.delete(event.id);
    if (event.type === 'answered') this.#times.add(event.line, event.row.milliseconds);
  }

  /** Returns the slow calls of steps that were not returned before. */
  findNews(nowMs: number): SlowCalls[] {
    const inFlight = [...this.#inFlight.values()].map(({ line: { spec, step }, sentMs }) => ({
      spec,
      step,
      waitedMs: nowMs - sentMs,
    }));
    const news = this.#times.findSlow(inFlight).filter((slow) => !this.#named.has(nameOf(slow)));
    for (const slow of news) this.#named.add(nameOf(slow));
    return news;
  }
}

function nameOf({ spec, step }: SlowCalls): string {
  return `${step} ${spec}`;
}

/** Describes slow calls, and what others of their step took. */
export function formatSlowCalls({ spec, step, calls, waitedMs, ...others }: SlowCalls): string {
  const verb = pluralize(calls, 'has', 'have');
  const usual = `${formatMs(others.medianMs)} in the median and ${formatMs(others.longestMs)} at most`;
  return `${formatCount(calls, `${step} call`)} to ${formatModelName(spec)} ${verb} waited for over ${formatWait(waitedMs)}; ${formatNumber(others.answered)} others took ${usual}`;
}

function formatMs(milliseconds: number): string {
  return milliseconds < 10_000
    ? `${(milliseconds / 1_000).toFixed(1)} s`
    : formatDuration(milliseconds / 1_000);
}

/** Formats a wait rounded down. */
function formatWait(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  return formatDuration(seconds < 90 ? seconds : Math.floor(seconds / 60) * 60);
}
