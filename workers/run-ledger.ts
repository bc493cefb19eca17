import type { PlannedCall } from '../activities/call-gate';
import type { CallLedger, SentCall } from '../activities/world';
import { openLedger, type LedgerFile } from '../data/ledger';
import type { Store } from '../data/store';
import { callEstimate } from '../rules/estimate';
import { LedgerTally, totalsOf } from '../rules/ledger';
import { reservedIn, spentIn } from '../rules/prices';
import type { CallEstimate, Ledger, LedgerLine } from '../schemas/ledger';
import type { ModelTable } from '../schemas/model-table';
import type { Spent } from '../schemas/steering';
import type { Tier } from '../schemas/tier';

/** What went through this process for one run: kept in its file of the ledger, and added up. */
export class RunLedger implements CallLedger {
  readonly #tally = new LedgerTally();
  readonly #file: LedgerFile;
  readonly #answeredAt: number[] = [];
  #calls = 0;
  #spent: { readonly table: ModelTable; readonly spent: Spent } | undefined;

  /** @param told called whenever a call was sent or its fate is known */
  constructor(
    store: Store,
    worker: string,
    private readonly told: () => void,
  ) {
    this.#file = openLedger(store, worker);
  }

  #changed(): void {
    this.#spent = undefined;
    this.told();
  }

  get rows(): Ledger {
    return this.#tally.rows();
  }

  /** Calls answered in the last minute. */
  get perMinute(): number {
    const since = performance.now() - 60_000;
    while ((this.#answeredAt[0] ?? Infinity) < since) this.#answeredAt.shift();
    return this.#answeredAt.length;
  }

  /** What was spent by these prices, calls in flight at their estimates. */
  spent(table: ModelTable): Spent {
    // Looked at for every call that waits, whenever one of them may be sent.
    if (this.#spent?.table !== table) this.#spent = { table, spent: this.#spentNow(table) };
    return this.#spent.spent;
  }

  #spentNow(table: ModelTable): Spent {
    const spent = spentIn(this.#tally.rows(), table);
    const reserved = reservedIn(this.#tally.inFlight(), table);
    return { usd: spent.usd + reserved.usd, tokens: spent.tokens + reserved.tokens };
  }

  estimate({ spec, step, characters, maxTokens }: Parameters<CallLedger['estimate']>[0]): CallEstimate {
    const { calls, uncounted, output } = totalsOf(
      this.#tally.rows().filter((one) => one.spec === spec && one.step === step),
    );
    const counted = calls - uncounted;
    const recent = counted < ENOUGH ? {} : { recent: output / counted };
    return callEstimate({ characters, step, maxTokens, ...recent });
  }

  async sent({ key, spec, step, estimate, tier }: PlannedCall & { readonly tier: Tier }): Promise<SentCall> {
    this.#calls += 1;
    const call = this.#calls;
    const asked = tier === 'standard' ? {} : { tier };
    const sent = { event: 'sent', call, key, spec, step, at: Date.now(), estimate, ...asked } as const;
    // Counted before it is written: two calls must not both see what only one of them may still spend.
    this.#tally.add(sent);
    this.#changed();
    try {
      await this.#file.write(sent);
    } catch (error) {
      this.#tally.add({ event: 'failed', call, kind: 'unwritten' });
      this.#changed();
      throw error;
    }
    const end = async (line: LedgerLine) => {
      this.#tally.add(line);
      this.#changed();
      // What the disk does not take here, the journal tells: it has every answer.
      await this.#file.write(line).catch(() => undefined);
    };
    return {
      answered: async ({ answer: { usage, tier: served = 'standard' }, milliseconds }, verdict) => {
        this.#answeredAt.push(performance.now());
        const other = served === tier ? {} : { tier: served };
        await end({ event: 'answered', call, verdict, usage, milliseconds, ...other });
      },
      failed: (kind: string) => end({ event: 'failed', call, kind }),
    };
  }
}

/** Answers of a step from which on their own mean length is a better guess than the usual one. */
const ENOUGH = 5;
