import type { Ledger, LedgerLine, SentLine } from '../../schemas/run/ledger';
import { LedgerTally, mergeLedgers } from './ledger';

export interface UsageTimeline {
  /** Length of each stretch: whole seconds, in milliseconds. */
  readonly stepMs: number;
  /** The calls that ended in each stretch, in order. Stretches without calls are left out, so pauses take no space. */
  readonly stretches: readonly Ledger[];
  /** End of the last call, in milliseconds since 1970; undefined without calls. */
  readonly lastMs: number | undefined;
}

/** Collects the calls of all workers in stretches of time. These grow with the run, so that there are at most 120. */
export class TimelineCounter {
  #stepMs = 1_000;
  #lastMs: number | undefined;
  /** Calls that ended in a stretch, by the number of the stretch since 1970. */
  #stretches = new Map<number, LedgerTally[]>();

  /** Returns the lines of one worker unchanged, and counts them. */
  async *watch(worker: string, lines: AsyncIterable<LedgerLine>): AsyncGenerator<LedgerLine> {
    const sent = new Map<number, SentLine>();
    for await (const line of lines) {
      if (line.event === 'sent') sent.set(line.call, line);
      const call = sent.get(line.call);
      if (line.event !== 'sent' && call !== undefined) {
        sent.delete(line.call);
        this.#add(worker, call, line);
      }
      yield line;
    }
  }

  end(): UsageTimeline {
    const stretches = [...this.#stretches]
      .toSorted(([a], [b]) => a - b)
      .map(([, tallies]) => mergeLedgers(tallies.map((tally) => tally.rows())));
    return { stepMs: this.#stepMs, stretches, lastMs: this.#lastMs };
  }

  #add(worker: string, sent: SentLine, end: Exclude<LedgerLine, { event: 'sent' }>): void {
    const endMs = sent.sentAtMs + (end.event === 'answered' ? end.durationMs : 0);
    this.#lastMs = Math.max(this.#lastMs ?? endMs, endMs);
    const place = Math.floor(endMs / this.#stepMs);
    const tallies = this.#stretches.get(place) ?? [new LedgerTally(worker)];
    this.#stretches.set(place, tallies);
    // A tally identifies calls by number, which is unique within a worker only. So each call ends before the next is added.
    tallies[0]?.add(sent);
    tallies[0]?.add(end);
    if (this.#stretches.size > MOST_STRETCHES) this.#double();
  }

  #double(): void {
    const before = this.#stretches;
    this.#stepMs *= 2;
    this.#stretches = new Map();
    for (const [place, tallies] of before) {
      const larger = Math.floor(place / 2);
      this.#stretches.set(larger, [...(this.#stretches.get(larger) ?? []), ...tallies]);
    }
  }
}

const MOST_STRETCHES = 120;
