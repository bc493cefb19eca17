import type { LedgerLine, SentLine } from '../../schemas/run/ledger';

/** Calls of one step to one model that have waited much longer than all answered ones. */
export interface SlowCalls extends CallGroup {
  readonly calls: number;
  /** Shortest of their waits, in milliseconds. */
  readonly waitedMs: number;
  /** Answered calls, with their median and longest time in milliseconds. */
  readonly answered: number;
  readonly medianMs: number;
  readonly longestMs: number;
}

/** Step and model of a call: calls of one kind take about as long. */
type CallGroup = Pick<SentLine, 'spec' | 'step'>;

/** Collects how long answers took, and finds the calls in flight that have waited much longer. */
export class AnswerTimes {
  readonly #groups = new Map<string, AnswerDurations>();

  add(call: CallGroup, durationMs: number): void {
    const name = nameGroup(call);
    const group = this.#groups.get(name) ?? { answered: 0, longestMs: 0, buckets: new Map() };
    this.#groups.set(name, group);
    const bucket = Math.round(Math.log2(Math.max(1, durationMs)) * BUCKETS_PER_DOUBLING);
    group.answered += 1;
    group.longestMs = Math.max(group.longestMs, durationMs);
    group.buckets.set(bucket, (group.buckets.get(bucket) ?? 0) + 1);
  }

  /** Returns the lines of one worker unchanged, and adds its answers. */
  async *watch(lines: AsyncIterable<LedgerLine>): AsyncGenerator<LedgerLine> {
    const sent = new Map<number, CallGroup>();
    for await (const line of lines) {
      const call = sent.get(line.call);
      if (line.event === 'sent' && line.tier !== 'batch') sent.set(line.call, line);
      else sent.delete(line.call);
      if (line.event === 'answered' && call !== undefined) this.add(call, line.durationMs);
      yield line;
    }
  }

  /**
   * Finds the steps with slow calls in flight: these have waited three times as long as the longest answer, ten times as long as the median
   * and half a minute at least. A step with few answers has none.
   */
  findSlow(inFlight: Iterable<CallGroup & { readonly waitedMs: number }>): SlowCalls[] {
    const slow = new Map<string, SlowCalls>();
    for (const { spec, step, waitedMs } of inFlight) {
      const name = nameGroup({ spec, step });
      const group = this.#groups.get(name);
      if (group === undefined || group.answered < LEAST_ANSWERS) continue;
      const { answered, longestMs } = group;
      // Hardly any of hundreds of calls in flight needs the median, which is searched in all buckets.
      if (waitedMs < Math.max(LEAST_WAIT_MS, 3 * longestMs)) continue;
      const medianMs = computeMedian(group);
      if (waitedMs < 10 * medianMs) continue;
      const { calls, waitedMs: shortest } = slow.get(name) ?? { calls: 0, waitedMs };
      slow.set(name, {
        spec,
        step,
        calls: calls + 1,
        waitedMs: Math.min(shortest, waitedMs),
        answered,
        medianMs,
        longestMs,
      });
    }
    return [...slow.values()];
  }
}

/** Answers of one step by one model. Counts by length take no more space for more answers. */
interface AnswerDurations {
  answered: number;
  longestMs: number;
  readonly buckets: Map<number, number>;
}

const BUCKETS_PER_DOUBLING = 8;
const LEAST_ANSWERS = 20;
const LEAST_WAIT_MS = 30_000;

/** Returns a name that distinguishes groups of calls. */
export function nameGroup({ spec, step }: CallGroup): string {
  return `${step} ${spec}`;
}

function computeMedian({ answered, buckets }: AnswerDurations): number {
  let below = 0;
  for (const [bucket, count] of [...buckets].toSorted(([first], [second]) => first - second)) {
    below += count;
    if (below >= answered / 2) return 2 ** (bucket / BUCKETS_PER_DOUBLING);
  }
  return 0;
}
