import { LEASE_MS, type Amounts, type Leases } from '../../engine/limits/leases';
import { findRefusal, applySteering, type SteeringRequest } from '../../engine/limits/steering';
import type { SpentAmounts, Steering } from '../../schemas/run/steering';
import type { AmountUnit } from '../../schemas/text/amount-text';
import type { ControlState, Directives, Pause, WorkerReport } from '../messages';

/** Initial state of a run's control, also when it continues as new. */
export interface RunControlInput {
  readonly run: string;
  /** The SPECs of the models that the run asks. */
  readonly models: readonly string[];
  readonly steering: Steering;
  /** Spending of departed workers, by name. */
  readonly departedSpending: Readonly<Record<string, SpentAmounts>>;
  readonly version?: number;
  /** True once a worker asked for more than the budget has left. */
  readonly isExhausted?: boolean;
  /** The version of the directives since which money is counted in the current unit and at current prices. */
  readonly pricedSince?: number;
}

/** Controls a run: its pauses, its calls in flight over all workers, and its budget. */
export class RunControl {
  #state: Required<RunControlInput>;

  constructor(
    start: RunControlInput,
    private readonly leases: Leases<WorkerReport>,
    private readonly startMs: number,
  ) {
    // A successor continues the version numbers.
    this.#state = { version: startMs, pricedSince: 0, isExhausted: false, ...start };
  }

  get input(): { readonly run: RunControlInput } {
    return { run: this.#state };
  }

  get version(): number {
    return this.#state.version;
  }

  get steering(): Steering {
    return this.#state.steering;
  }

  get limits(): Amounts {
    const { concurrency } = this.steering;
    return concurrency === undefined ? {} : { inFlight: concurrency };
  }

  take(report: WorkerReport, nowMs: number): void {
    const isNew = this.leases.renew(this.#inUnit(report), nowMs);
    this.#settle(this.#state.departedSpending);
    if (isNew) this.#changeShares();
    this.#continueIfLeft();
  }

  directives({ worker, directivesVersion: knownVersion }: WorkerReport, nowMs: number): Partial<Directives> {
    const { budget, modelTable, tiers, tierFallbackMs } = this.steering;
    return {
      grants: { budget: this.#budgetFor(worker, nowMs) },
      pause: this.pause(),
      budget,
      tiers,
      tierFallbackMs,
      modelTable: knownVersion === this.version ? undefined : modelTable,
    };
  }

  end(worker: string, nowMs: number): void {
    const amounts = this.leases.memberOf(worker)?.usage?.spent;
    this.leases.end(worker, nowMs);
    this.#changeShares();
    // Workers without a call are not kept, because many may come and go over days.
    const departed = amounts === undefined || amounts.tokens === 0 ? {} : { [worker]: amounts };
    this.#settle({ ...this.#state.departedSpending, ...departed });
  }

  /** Returns the workers that report their own spending. */
  get living(): string[] {
    return this.leases.members.map(({ worker }) => worker);
  }

  /**
   * Replaces the spending of departed workers by that in their ledgers.
   * @param living workers that reported when the ledgers were read; if one has left since, its last report counts
   */
  settleRead(living: readonly string[], read: Readonly<Record<string, SpentAmounts>>): void {
    const left = Object.entries(this.#state.departedSpending).filter(([worker]) => living.includes(worker));
    this.#settle({ ...Object.fromEntries(left), ...read });
  }

  /** Keeps the spending of departed workers only; the others' counts by their reports. */
  #settle(spending: Readonly<Record<string, SpentAmounts>>): void {
    const departed = Object.entries(spending).filter(
      ([worker]) => this.leases.memberOf(worker) === undefined,
    );
    this.#state = { ...this.#state, departedSpending: Object.fromEntries(departed) };
  }

  /** Explains why a change makes no sense now; undefined if it is fine. */
  refusal(change: SteeringRequest): string | undefined {
    return findRefusal(change, {
      steering: this.steering,
      outOfBudget: this.pause()?.by === 'budget',
      models: this.#state.models,
      workers: this.leases.members.length,
      spent: this.#spent(),
    });
  }

  steer(change: SteeringRequest): void {
    const { unit } = this.steering.budget ?? {};
    const steering = applySteering(this.steering, change);
    this.#change({ steering, isExhausted: false });
    const { budget } = steering;
    if (budget === undefined || (budget.unit === unit && change.modelTable === undefined)) return;
    // Leases in another unit are void, and so are amounts at other prices.
    this.#state = { ...this.#state, pricedSince: this.version };
    for (const { worker, usage } of this.leases.members)
      this.leases.revalue(worker, usage?.spent[budget.unit] ?? 0);
  }

  pause(): Pause | undefined {
    const { paused, budget } = this.steering;
    if (paused) return { by: 'user' };
    if (budget === undefined || !this.#state.isExhausted) return undefined;
    return { by: 'budget', spent: this.#spent()[budget.unit], cap: budget.cap };
  }

  state(nowMs: number): ControlState {
    return {
      knowsAll: nowMs - this.startMs > LEASE_MS,
      pause: this.pause(),
      steering: this.steering,
      spent: this.#spent(),
      workers: this.leases.members.map(({ worker, codeVersion, used: { inFlight = 0 }, usage }) => {
        const { perMinute = 0, concurrency = 0 } = usage ?? {};
        return { worker, codeVersion, inFlight, perMinute, concurrency };
      }),
    };
  }

  /** Changes the directives of workers. */
  #change(changed: Partial<RunControlInput>): void {
    this.#state = { ...this.#state, ...changed, version: this.version + 1 };
  }

  /** Converts a report to the unit of the budget: its worker may not know of a new budget yet. */
  #inUnit(report: WorkerReport): WorkerReport {
    const { worker, usage, leased, used } = report;
    if (usage === undefined) throw new Error(`${worker} did not report its usage.`);
    const { budget } = this.steering;
    if (budget !== undefined && usage.unit === budget.unit)
      return { ...report, used: { ...used, budget: usage.spent[budget.unit] } };
    const { budget: _, ...otherLeases } = leased;
    const budgetUsed = budget === undefined ? {} : { budget: usage.spent[budget.unit] };
    return { ...report, leased: otherLeases, used: { ...used, ...budgetUsed } };
  }

  #spent(): SpentAmounts {
    const sum = (unit: AmountUnit) =>
      this.leases.members.reduce((all, { usage }) => all + (usage?.spent[unit] ?? 0), this.#settledIn(unit));
    return { usd: sum('usd'), tokens: sum('tokens') };
  }

  #settledIn(unit: AmountUnit): number {
    return Object.values(this.#state.departedSpending).reduce((total, amounts) => total + amounts[unit], 0);
  }

  /** Gives the remaining workers their new shares of the calls in flight. */
  #changeShares(): void {
    if (this.steering.concurrency !== undefined) this.#change({});
  }

  #budgetFor(worker: string, nowMs: number): number | undefined {
    const { budget } = this.steering;
    if (budget === undefined) return undefined;
    const { usage, leased } = this.leases.memberOf(worker) ?? {};
    const spentAmount = usage?.spent[budget.unit] ?? 0;
    // A paused worker's unspent lease is available to others.
    if (this.pause() !== undefined) return Math.min(spentAmount, leased?.budget ?? 0);
    // Until all workers know the new prices, amounts would be leased twice.
    if (
      this.leases.members.some(
        ({ directivesVersion: knownVersion }) => knownVersion < this.#state.pricedSince,
      )
    )
      return spentAmount;
    if (usage?.wantsBudget === true) {
      const granted = this.leases.grantBudget(worker, budget, this.#settledIn(budget.unit), nowMs);
      if (granted !== undefined) return granted;
      this.#change({ isExhausted: true });
    }
    return leased?.budget ?? spentAmount;
  }

  /** Ends the pause if budget is left. Calls in flight count at estimates, so some may be left once they are answered. */
  #continueIfLeft(): void {
    const { budget } = this.steering;
    if (!this.#state.isExhausted || budget === undefined) return;
    if (this.leases.members.some(({ used }) => (used.inFlight ?? 0) > 0)) return;
    const left = this.leases.budgetLeft(budget.cap, this.#settledIn(budget.unit));
    if (left >= budget.cap * LEAST_LEFT) this.#change({ isExhausted: false });
  }
}

/** Minimum share of a budget for which a pause is lifted. */
const LEAST_LEFT = 0.005;
