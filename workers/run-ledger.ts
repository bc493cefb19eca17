import { randomUUID } from 'node:crypto';
import type { Guard, PlannedCall } from '../engine/limits/call-guard';
import type { CallLedger, SentCall } from '../activities/world';
import { openLedger, type LedgerFile } from '../data/run/ledger';
import type { Store } from '../data/store/store';
import { estimateCall } from '../engine/costs/call-estimate';
import { buildAnsweredLine, buildLedgerCallName, LedgerTally, computeTotals } from '../engine/costs/ledger';
import { computeSpent } from '../engine/costs/prices';
import type { ModelRequest } from '../models/model';
import type { JournalEntry } from '../schemas/run/journal';
import type { CallEstimate, LedgerLine, LedgerRow } from '../schemas/run/ledger';
import type { ModelTable } from '../schemas/model/model-table';
import type { SpentAmounts } from '../schemas/run/steering';
import type { Tier } from '../schemas/model/tier';
import { hostname } from 'node:os';

/** Sees every call when the ledger of a run gets its lines, so that what it counts agrees with the ledger. */
export interface CallObserver {
  sent(call: SentLine): ObservedCall;
}

/** A call that was sent. */
interface ObservedCall {
  /** Has the model asked. */
  during?<T>(request: ModelRequest, ask: () => Promise<T>): Promise<T>;
  /**
   * @param row what the call came to; undefined when it was not sent after all
   * @param entry its answer, where it has one
   */
  ended(row: LedgerRow | undefined, entry?: JournalEntry): void;
}

/**
 * What went through this process for one run: kept in its file of the ledger, and added up. As a guard it rejects nothing, but counts a call
 * as soon as it is admitted, because the next one may be admitted before this one is sent.
 */
export class RunLedger implements CallLedger, Guard {
  readonly #tally: LedgerTally;
  readonly #file: LedgerFile;
  readonly #answeredAt: number[] = [];
  /** Admitted calls that are not sent yet, by their keys. */
  readonly #admitted = new Map<string, PlannedCall>();
  #calls = 0;
  #spent: { readonly table: ModelTable; readonly spent: SpentAmounts } | undefined;

  /** @param onChange called whenever a call was sent or its fate is known */
  constructor(
    store: Store,
    private readonly worker: string,
    private readonly onChange: () => void,
    private readonly observers: readonly CallObserver[] = [],
  ) {
    this.#tally = new LedgerTally(worker);
    this.#file = openLedger(store, worker);
  }

  /** Calls answered in the last minute. */
  get perMinute(): number {
    const since = performance.now() - 60_000;
    while ((this.#answeredAt[0] ?? Infinity) < since) this.#answeredAt.shift();
    return this.#answeredAt.length;
  }

  /** What was spent by these prices, calls in flight and those about to be at their estimates. */
  spent(table: ModelTable): SpentAmounts {
    // Looked at for every call that waits, whenever one of them may be sent.
    if (this.#spent?.table !== table) {
      const open = [...this.#tally.inFlight(), ...this.#admitted.values()];
      this.#spent = { table, spent: computeSpent(this.#tally.rows(), table, open) };
    }
    return this.#spent.spent;
  }

  admits(): boolean {
    return true;
  }

  entered(call: PlannedCall): void {
    this.#admitted.set(call.key, call);
    this.#spent = undefined;
  }

  left({ key }: PlannedCall): void {
    if (this.#admitted.delete(key)) this.#spent = undefined;
  }

  estimate({ spec, step, characters, maxTokens }: Parameters<CallLedger['estimate']>[0]): CallEstimate {
    const { calls, uncounted, output } = computeTotals(
      this.#tally.rows().filter((one) => one.spec === spec && one.step === step),
    );
    const counted = calls - uncounted;
    const recent = counted < ENOUGH ? {} : { recent: output / counted };
    return estimateCall({ characters, step, maxTokens, ...recent });
  }

  async sent({ key, spec, step, estimate, tier }: PlannedCall & { readonly tier: Tier }): Promise<SentCall> {
    this.#calls += 1;
    const call = this.#calls;
    const asked = tier === 'standard' ? {} : { tier };
    const sent = { event: 'sent', call, key, spec, step, at: Date.now(), estimate, ...asked } as const;
    this.#admitted.delete(key);
    // Counted before it is written: two calls must not both see what only one of them may still spend.
    this.#count(sent);
    const observed = this.observers.map((observer) => observer.sent(sent));
    try {
      await this.#file.write(sent);
    } catch (error) {
      this.#count({ event: 'failed', call, kind: 'unwritten' });
      for (const one of observed) one.ended(undefined);
      throw error;
    }
    const end = async (line: CallEnd, entry?: JournalEntry) => {
      const row = this.#count(line);
      for (const one of observed) one.ended(row, entry);
      // What cannot be written here is recovered from the journal: it has every answer.
      await this.#file.write(line).catch(() => undefined);
    };
    return {
      id: buildLedgerCallName(this.worker, call),
      during: (request, ask) => duringAll(observed, request, ask),
      answered: (entry, verdict) => {
        this.#answeredAt.push(performance.now());
        return end(buildAnsweredLine(sent, entry, verdict), entry);
      },
      failed: (kind: string) => end({ event: 'failed', call, kind }),
    };
  }

  #count(line: LedgerLine): LedgerRow | undefined {
    const row = this.#tally.add(line);
    this.#spent = undefined;
    this.onChange();
    return row;
  }
}

type SentLine = Extract<LedgerLine, { event: 'sent' }>;
type CallEnd = Exclude<LedgerLine, SentLine>;

function duringAll<T>(
  observed: readonly ObservedCall[],
  request: ModelRequest,
  ask: () => Promise<T>,
): Promise<T> {
  const whole = observed.reduce((inner, one) => () => one.during?.(request, inner) ?? inner(), ask);
  return whole();
}

/** Answers of a step from which on their own mean length is a better guess than the usual one. */
const ENOUGH = 5;

/**
 * A name for this process as a worker of a run. No process on any machine uses it again, nor does this one when it joins the run once
 * more: what it spent before is settled by then.
 */
export function createWorkerName(): string {
  return `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
}
