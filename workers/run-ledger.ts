import type { PlannedCall } from '../limits/call-guard';
import type { CallLedger, SentCall } from '../activities/world';
import { openLedger, type LedgerFile } from '../data/run/ledger';
import type { Store } from '../data/store/store';
import { estimateCall } from '../costs/call-estimate';
import { buildAnsweredLine, buildLedgerCallName, LedgerTally, computeTotals } from '../costs/ledger';
import { computeSpent } from '../costs/prices';
import type { CallEstimate, LedgerLine } from '../schemas/run/ledger';
import type { ModelTable } from '../schemas/model/model-table';
import type { SpentAmounts } from '../schemas/run/steering';
import type { Tier } from '../schemas/model/tier';

/** What went through this process for one run: kept in its file of the ledger, and added up. */
export class RunLedger implements CallLedger {
  readonly #tally: LedgerTally;
  readonly #file: LedgerFile;
  readonly #answeredAt: number[] = [];
  #calls = 0;
  #spent: { readonly table: ModelTable; readonly spent: SpentAmounts } | undefined;

  /** @param onChange called whenever a call was sent or its fate is known */
  constructor(
    store: Store,
    private readonly worker: string,
    private readonly onChange: () => void,
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

  /** What was spent by these prices, calls in flight at their estimates. */
  spent(table: ModelTable): SpentAmounts {
    // Looked at for every call that waits, whenever one of them may be sent.
    if (this.#spent?.table !== table)
      this.#spent = { table, spent: computeSpent(this.#tally.rows(), table, this.#tally.inFlight()) };
    return this.#spent.spent;
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
    // Counted before it is written: two calls must not both see what only one of them may still spend.
    this.#count(sent);
    try {
      await this.#file.write(sent);
    } catch (error) {
      this.#count({ event: 'failed', call, kind: 'unwritten' });
      throw error;
    }
    const end = async (line: LedgerLine) => {
      this.#count(line);
      // What cannot be written here is recovered from the journal: it has every answer.
      await this.#file.write(line).catch(() => undefined);
    };
    return {
      id: buildLedgerCallName(this.worker, call),
      answered: (entry, verdict) => {
        this.#answeredAt.push(performance.now());
        return end(buildAnsweredLine(sent, entry, verdict));
      },
      failed: (kind: string) => end({ event: 'failed', call, kind }),
    };
  }

  #count(line: LedgerLine): void {
    this.#tally.add(line);
    this.#spent = undefined;
    this.onChange();
  }
}

/** Answers of a step from which on their own mean length is a better guess than the usual one. */
const ENOUGH = 5;
