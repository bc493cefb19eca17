import type { Amounts, Leases } from '../rules/leases';
import { refusal, steered, type WantedSteering } from '../rules/steering';
import type { Budget, Spent, Steering } from '../schemas/steering';
import type { ControlState, Directives, Pause, RunUsage, WorkerReport } from './messages';

/** What the control of a run starts with, and goes on with when it continues as new. */
export interface RunControlInput {
  readonly run: string;
  /** The SPECs of the models that the run asks. */
  readonly models: readonly string[];
  readonly steering: Steering;
  /** By worker: what those that are gone have spent. */
  readonly settled: Readonly<Record<string, Spent>>;
  readonly version?: number;
  readonly exhausted?: boolean;
  readonly usage?: readonly (readonly [worker: string, usage: KnownUsage])[];
  /** The version since which money is counted as it is. */
  readonly pricedSince?: number;
}

type KnownUsage = RunUsage & { readonly known: number };

/** A run's pauses, its calls in flight over all workers, and its budget. */
export class RunControl {
  #steering: Steering;
  #settled: Map<string, Spent>;
  #version: number;
  #pricedSince: number;
  /** True once somebody asked for more than the budget has left. */
  #exhausted: boolean;
  readonly #usage: Map<string, KnownUsage>;

  constructor(
    private readonly start: RunControlInput,
    private readonly leases: Leases,
    nowMs: number,
  ) {
    this.#steering = start.steering;
    this.#settled = new Map(Object.entries(start.settled));
    // One that replaces another counts on from there.
    this.#version = start.version ?? nowMs;
    this.#pricedSince = start.pricedSince ?? 0;
    this.#exhausted = start.exhausted ?? false;
    this.#usage = new Map(start.usage);
  }

  get input(): { readonly run: RunControlInput } {
    return {
      run: {
        ...this.start,
        steering: this.#steering,
        settled: Object.fromEntries(this.#settled),
        version: this.#version,
        pricedSince: this.#pricedSince,
        exhausted: this.#exhausted,
        usage: [...this.#usage],
      },
    };
  }

  get version(): number {
    return this.#version;
  }

  get steering(): Steering {
    return this.#steering;
  }

  get limits(): Amounts {
    const { concurrency } = this.#steering;
    return concurrency === undefined ? {} : { inFlight: concurrency };
  }

  take(report: WorkerReport, nowMs: number): void {
    const { worker, usage, known } = report;
    if (usage === undefined) throw new Error(`${worker} did not report its usage.`);
    this.#usage.set(worker, { ...usage, known });
    this.#settled.delete(worker);
    if (this.leases.renew(this.#inUnit(report, usage), nowMs)) this.#changeShares();
    this.#continueIfLeft();
  }

  directives({ worker, known, usage }: WorkerReport, nowMs: number): Partial<Directives> {
    const { budget, modelTable, tiers, tierFallbackMs } = this.#steering;
    const granted = this.#budgetFor(worker, nowMs);
    const paused = this.pause();
    return {
      version: this.#version,
      ...(granted === undefined ? {} : { granted: { budget: granted } }),
      ...(paused === undefined ? {} : { paused }),
      ...(budget === undefined ? {} : { budget }),
      ...(tiers === undefined ? {} : { tiers }),
      ...(tierFallbackMs === undefined ? {} : { tierFallbackMs }),
      ...(modelTable === undefined || known === this.#version || usage === undefined ? {} : { modelTable }),
    };
  }

  /** @param settled what all workers that are gone have spent, where that was read again */
  end(worker: string, settled?: Readonly<Record<string, Spent>>): void {
    const usage = this.#usage.get(worker);
    this.#usage.delete(worker);
    this.#changeShares();
    if (settled !== undefined) this.settle(settled);
    // Workers that come and go without a call are not kept for days.
    else if (usage !== undefined && usage.spent.tokens > 0) this.#settled.set(worker, usage.spent);
  }

  /** Takes what all workers that are gone have spent, by worker. */
  settle(settled: Readonly<Record<string, Spent>>): void {
    this.#settled = new Map(Object.entries(settled).filter(([worker]) => !this.#usage.has(worker)));
  }

  /** Why a change makes no sense as things stand; undefined when it does. */
  refusal(change: WantedSteering): string | undefined {
    return refusal(change, {
      steering: this.#steering,
      outOfBudget: this.pause()?.by === 'budget',
      models: this.start.models,
      workers: this.leases.members.length,
      spent: this.#spent(),
    });
  }

  steer(change: WantedSteering): void {
    const { unit } = this.#steering.budget ?? {};
    this.#steering = steered(this.#steering, change);
    this.#exhausted = false;
    this.#version += 1;
    const { budget } = this.#steering;
    if (budget === undefined || (budget.unit === unit && change.modelTable === undefined)) return;
    // Leases of another unit mean nothing now, nor do amounts at other prices.
    this.#pricedSince = this.#version;
    for (const [worker, { spent }] of this.#usage) this.leases.revalue(worker, spent[budget.unit]);
  }

  pause(): Pause | undefined {
    const { paused, budget } = this.#steering;
    if (paused) return { by: 'user' };
    if (budget === undefined || !this.#exhausted) return undefined;
    return { by: 'budget', spent: this.#spent()[budget.unit], cap: budget.cap };
  }

  state(): ControlState {
    const paused = this.pause();
    return {
      ...(paused === undefined ? {} : { paused }),
      steering: this.#steering,
      spent: this.#spent(),
      workers: this.leases.members.map(({ worker, used: { inFlight = 0 } }) => {
        const { perMinute = 0, concurrency = 0 } = this.#usage.get(worker) ?? {};
        return { worker, inFlight, perMinute, concurrency };
      }),
    };
  }

  /** A report whose amounts of the budget are in its unit: a worker may not know of a budget that was just set. */
  #inUnit(report: WorkerReport, { spent, unit }: RunUsage): WorkerReport {
    const { budget } = this.#steering;
    const { budget: leased, ...others } = report.leased;
    if (budget === undefined) return { ...report, leased: others };
    return {
      ...report,
      leased: leased !== undefined && unit === budget.unit ? { ...others, budget: leased } : others,
      used: { ...report.used, budget: spent[budget.unit] },
    };
  }

  #spent(): Spent {
    const sum = (unit: Budget['unit']) =>
      [...this.#settled.values(), ...[...this.#usage.values()].map(({ spent }) => spent)].reduce(
        (total, spent) => total + spent[unit],
        0,
      );
    return { usd: sum('usd'), tokens: sum('tokens') };
  }

  #settledIn(unit: Budget['unit']): number {
    return [...this.#settled.values()].reduce((total, spent) => total + spent[unit], 0);
  }

  /** Those who stay have other shares now. */
  #changeShares(): void {
    if (this.#steering.concurrency !== undefined) this.#version += 1;
  }

  #budgetFor(worker: string, nowMs: number): number | undefined {
    const { budget } = this.#steering;
    if (budget === undefined) return undefined;
    const spent = this.#usage.get(worker)?.spent[budget.unit] ?? 0;
    const member = this.leases.members.find((one) => one.worker === worker);
    // What a worker that stands still has left is free for others.
    if (this.pause() !== undefined) return Math.min(spent, member?.leased.budget ?? 0);
    // Amounts at other prices would be leased twice.
    if ([...this.#usage.values()].some(({ known }) => known < this.#pricedSince)) return spent;
    if (this.#usage.get(worker)?.wantsBudget !== true) return member?.leased.budget ?? spent;
    const granted = this.leases.grantBudget(worker, budget, this.#settledIn(budget.unit), nowMs);
    if (granted !== undefined) return granted;
    this.#exhausted = true;
    this.#version += 1;
    return member?.leased.budget ?? spent;
  }

  /** Calls in flight are counted at estimates: once they are answered, there may be something left. */
  #continueIfLeft(): void {
    const { budget } = this.#steering;
    if (!this.#exhausted || budget === undefined) return;
    if (this.leases.members.some(({ used }) => (used.inFlight ?? 0) > 0)) return;
    if (this.leases.budgetLeft(budget.cap, this.#settledIn(budget.unit)) < budget.cap * LEAST_LEFT) return;
    this.#exhausted = false;
    this.#version += 1;
  }
}

/** Of a budget, what is worth lifting a pause for. */
const LEAST_LEFT = 0.005;
