import { randomUUID } from 'node:crypto';
import type { PlannedCall } from '../engine/limits/call-guard';
import { openLedger, type LedgerFile } from '../data/run/ledger';
import type { Store } from '../data/store/store';
import { estimateCall } from '../engine/costs/call-estimate';
import { buildAnsweredLine, buildLedgerCallName, LedgerTally, computeTotals } from '../engine/costs/ledger';
import { Pace, TICK_MS } from '../engine/costs/pace';
import { computeSpent } from '../engine/costs/prices';
import type { JournalEntry } from '../schemas/run/journal';
import type { CallEstimate, Ledger, LedgerLine, LedgerRow, SentLine } from '../schemas/run/ledger';
import type { ModelTable } from '../schemas/model/model-table';
import type { Usage } from '../schemas/model/usage';
import { omitUndefined } from '../schemas/omit-undefined';
import type { SpentAmounts } from '../schemas/run/steering';
import type { Step } from '../schemas/run/step';
import type { Tier } from '../schemas/model/tier';
import type { RequestParameters, RunEvent, RunEvents } from './run-events';
import { hostname } from 'node:os';

export type AnswerVerdict = 'good' | 'bad' | 'refused';

/** A call that is being sent. Its outcome must be recorded. */
interface SentCall {
  /** Name of the call in the journal: `ledgerCall` of its entry. */
  readonly id: string;
  answered(entry: JournalEntry, verdict: AnswerVerdict): Promise<void>;
  /** @param usage present if the call was probably charged: what the provider reported */
  failed(kind: string, usage?: Usage): Promise<void>;
}

/**
 * Records the calls of this process for one run, in its file of the ledger, and sums them. A call counts from its admission, because the
 * next one may be admitted before this one is sent.
 */
export class RunLedger {
  readonly #tally: LedgerTally;
  readonly #file: LedgerFile;
  readonly #pace = new Pace();
  readonly #clock = setInterval(() => this.#pace.tick(performance.now()), TICK_MS).unref();
  #answered = 0;
  #hasDialogues = false;
  /** Admitted calls that are not sent yet, by their keys. */
  readonly #admitted = new Map<string, PlannedCall>();
  #calls = 0;
  #spent: { readonly table: ModelTable; readonly spent: SpentAmounts } | undefined;

  constructor(
    store: Store,
    readonly worker: string,
    private readonly events: RunEvents,
  ) {
    this.#tally = new LedgerTally(worker);
    this.#file = openLedger(store, worker);
    events.subscribe((event) => this.#countAdmitted(event));
  }

  /** Returns the calls answered per minute; 0 while that is not known yet. */
  get perMinute(): number {
    return this.#pace.perMinute(performance.now(), [...this.#tally.inFlight()].length) ?? 0;
  }

  /** Ends the measurement of the pace. */
  [Symbol.dispose](): void {
    clearInterval(this.#clock);
  }

  /** Returns the totals of this process's calls that have ended. */
  rows(): Ledger {
    return this.#tally.rows();
  }

  /** Leaves the time out of the pace while the run is paused. */
  setPaused(isPaused: boolean): void {
    this.#pace.setPaused(isPaused, performance.now());
  }

  /** Computes the spending at these prices, with estimates for calls in flight and admitted ones. */
  spent(table: ModelTable): SpentAmounts {
    // Cached, because every check of the waiting calls reads it.
    if (this.#spent?.table !== table) {
      const open = [...this.#tally.inFlight(), ...this.#admitted.values()];
      this.#spent = { table, spent: computeSpent(this.#tally.rows(), table, open) };
    }
    return this.#spent.spent;
  }

  /** Returns the expected usage of a call. @param call.characters of the whole request */
  estimate(call: {
    readonly spec: string;
    readonly step: Step;
    readonly characters: number;
    readonly maxTokens: number;
  }): CallEstimate {
    const { spec, step, characters, maxTokens } = call;
    const { calls, uncountedCalls, output } = computeTotals(
      this.#tally.rows().filter((row) => row.spec === spec && row.step === step),
    );
    const countedCalls = calls - uncountedCalls;
    const recent = countedCalls < ENOUGH ? {} : { recent: output / countedCalls };
    return estimateCall({ characters, step, maxTokens, ...recent });
  }

  /** Records a call before it is sent: if the process dies with the call in flight, this remains. Must be awaited. */
  async sent(
    { key, spec, step, estimate, tier }: PlannedCall & { readonly tier: Tier },
    request: RequestParameters,
  ): Promise<SentCall> {
    if (step === 'assistant' && !this.#hasDialogues) {
      // Planning makes few calls at once, so its pace says nothing about that of the dialogues.
      this.#hasDialogues = true;
      this.#pace.restart(this.#answered, performance.now());
    }
    this.#pace.begin(performance.now());
    this.#calls += 1;
    const call = this.#calls;
    const tierField = tier === 'standard' ? {} : { tier };
    const line = {
      event: 'sent',
      call,
      key,
      spec,
      step,
      sentAtMs: Date.now(),
      estimate,
      ...tierField,
    } as const;
    const sentCall = { id: buildLedgerCallName(this.worker, call), line };
    this.#admitted.delete(key);
    // Counted before the write, so that two calls cannot spend the same amount.
    this.#tally.add(line);
    this.#spent = undefined;
    this.events.emit({ type: 'sent', ...sentCall, request });
    try {
      await this.#file.write(line);
    } catch (error) {
      this.#countEnd({ event: 'failed', call, kind: 'unwritten' });
      this.events.emit({ type: 'failed', ...sentCall, kind: 'unwritten' });
      throw error;
    }
    // A failed write is recovered from the journal, which has every answer.
    const write = (end: LedgerLine) => this.#file.write(end).catch(() => undefined);
    return {
      id: sentCall.id,
      answered: (entry, verdict) => {
        this.#answered += 1;
        this.#pace.record(this.#answered, performance.now(), entry.durationMs);
        const end = buildAnsweredLine(line, entry, verdict);
        this.events.emit({ type: 'answered', ...sentCall, row: this.#countEnd(end), entry });
        return write(end);
      },
      failed: (kind, usage) => {
        const end = { event: 'failed', call, kind, ...omitUndefined({ usage }) } as const;
        this.#pace.recordFailure(kind, performance.now());
        this.events.emit({ type: 'failed', ...sentCall, kind, row: this.#countEnd(end) });
        return write(end);
      },
    };
  }

  #countAdmitted(event: RunEvent): void {
    if (event.type === 'admitted') this.#admitted.set(event.call.key, event.call);
    else if (event.type === 'released') this.#admitted.delete(event.call.key);
    else return;
    this.#spent = undefined;
  }

  #countEnd(line: Exclude<LedgerLine, SentLine>): LedgerRow {
    this.#spent = undefined;
    return this.#tally.add(line);
  }
}

/** Number of a step's answers from which their mean length is a better estimate than the default. */
const ENOUGH = 5;

/**
 * Creates a name for this process as a worker of a run. It is unique over all machines and times: if this process joins the run again, its
 * earlier spending is already settled.
 */
export function createWorkerName(): string {
  return `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
}
