import type { Client } from '@temporalio/client';
import { controlWorkflowId } from '../rules/journal-key';
import type { Ledger } from '../schemas/ledger';
import type { ModelTable } from '../schemas/model-table';
import type { Budget } from '../schemas/steering';
import { attend, type Attendance, type Orders } from '../workflows/messages';
import { attending, type Attending } from './attending';

/** What a process has sent for a run. */
export interface SentForRun {
  readonly rows: Ledger;
  /** By step. */
  readonly inFlight: Record<string, number>;
  /** Calls answered in the last minute. */
  readonly perMinute: number;
  readonly spent: (unit: Budget['unit'], table: ModelTable | undefined) => number;
}

/** Guards the calls of one run in this process: by its pauses, its concurrency and its budget. */
export class RunAttendant {
  #orders: Orders | undefined;
  #table: ModelTable | undefined;
  #inFlight = 0;
  #slice = 0;
  #ledgerAt = 0;
  readonly #attending: Attending;

  constructor(
    private readonly options: {
      readonly client: Client;
      readonly run: string;
      /** Names this process. */
      readonly worker: string;
      readonly concurrency: number;
      readonly ledger: SentForRun;
      /** Starts the control workflow again, if it is gone. */
      readonly revive: () => Promise<void>;
      /** Called when it has not answered for long. */
      readonly unheard: (workflowId: string) => void;
      /** The run's calls that wait to be sent. */
      readonly waiting: () => number;
      /** Called when calls may be sent that might not before. */
      readonly changed: () => void;
      /** Told of every change of orders. */
      readonly told: (orders: Orders) => void;
    },
  ) {
    this.#attending = attending<Attendance, Orders>({
      client: options.client,
      workflowId: controlWorkflowId(options.run),
      update: attend,
      tell: (leaving) => this.#attendance(leaving),
      take: (orders) => this.#take(orders),
      untold: () => void (this.#ledgerAt = Number.NEGATIVE_INFINITY),
      absent: options.revive,
      unheard: options.unheard,
    });
  }

  /** Most calls of the run in flight in this process: none before it has its orders. */
  get concurrency(): number {
    return this.#orders?.concurrency ?? 0;
  }

  admits(): boolean {
    const orders = this.#orders;
    if (orders === undefined || orders.paused !== undefined) return false;
    return this.#inFlight < orders.concurrency && this.#left() > 0;
  }

  turnsAway(): boolean {
    return this.#orders?.concurrency === 0;
  }

  waiting(): void {
    this.ledgerChanged();
  }

  entered(): void {
    this.#inFlight += 1;
  }

  left(): void {
    this.#inFlight -= 1;
    // Nothing changes until the pause is lifted, so what is shown meanwhile is to be the last word.
    if (this.#inFlight === 0 && this.#orders?.paused !== undefined) {
      this.#ledgerAt = Number.NEGATIVE_INFINITY;
      this.#attending.urge();
    }
  }

  /** To be called whenever the ledger has changed. */
  ledgerChanged(): void {
    if (this.#wants() > 0) this.#attending.urge();
  }

  async stop(): Promise<void> {
    await this.#attending.stop();
  }

  #left(): number {
    const { budget, granted } = this.#orders ?? {};
    if (budget === undefined || granted === undefined) return Infinity;
    return granted - this.options.ledger.spent(budget.unit, this.#table);
  }

  // Before it is used up, so that nobody waits for more.
  #wants(): number {
    if (this.#orders?.budget === undefined || this.#orders.paused !== undefined) return 0;
    return this.#left() <= this.#slice / 2 ? this.options.waiting() : 0;
  }

  #attendance(leaving: boolean): Attendance {
    const { worker, concurrency, ledger } = this.options;
    const budget = this.#orders?.budget;
    const now = performance.now();
    // It is the bulk of what is told, and a lease may be asked for several times a second.
    const whole = leaving || this.#orders === undefined || now - this.#ledgerAt > LEDGER_EVERY;
    if (whole) this.#ledgerAt = now;
    return {
      worker,
      known: this.#orders?.version ?? 0,
      ...(this.#table === undefined ? {} : { informed: true }),
      ...(whole ? { ledger: ledger.rows } : {}),
      ...(budget === undefined
        ? { spent: 0 }
        : { spent: ledger.spent(budget.unit, this.#table), unit: budget.unit }),
      wants: this.#wants(),
      inFlight: ledger.inFlight,
      perMinute: ledger.perMinute,
      concurrency,
      ...(leaving ? { leaving: true } : {}),
    };
  }

  #take(orders: Orders): number {
    const before = this.#orders;
    // Two conversations may overlap: what comes late is out of date, unless the workflow was started anew.
    if (before?.instance === orders.instance && orders.version < before.version) return orders.every;
    this.#slice = Math.max(0, (orders.granted ?? 0) - (before?.granted ?? 0)) || this.#slice;
    this.#table = orders.modelTable ?? this.#table;
    this.#orders = orders;
    if (before?.version !== orders.version) this.options.told(orders);
    this.options.changed();
    // It was answered at once since calls want more; if there was no more, it is not asked for again and again.
    return this.#wants() > 0 && before?.granted === orders.granted ? 200 : orders.every;
  }
}

/** Milliseconds between two tellings of the whole ledger. */
const LEDGER_EVERY = 8_000;
