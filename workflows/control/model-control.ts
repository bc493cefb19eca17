import { computeCircuit, type OpenCircuit } from '../../engine/limits/circuit';
import type { Amounts, Leases } from '../../engine/limits/leases';
import type { ModelLimits } from '../../schemas/run/steering';
import type { Directives, ModelState, WorkerReport } from '../messages';

/** Initial state of a model's control, also when it continues as new. */
export interface ModelControlInput {
  readonly spec: string;
  readonly limits: ModelLimits;
  /** Absent while its circuit is closed. */
  readonly openCircuit?: OpenCircuit | undefined;
  /** Time until which the provider asked to wait; workflow time in milliseconds. */
  readonly backoffUntilMs?: number;
  /** The daily quota that caused this wait. */
  readonly quota?: string | undefined;
  /** Calls in flight, of all workers, above which the provider rejects calls; kept while no worker is there. */
  readonly adaptiveLimit?: number | undefined;
  readonly version?: number;
}

/** Controls a model over all workers of all runs: its limits, its circuit, and its provider's requests to wait. */
export class ModelControl {
  #state: Required<ModelControlInput>;

  constructor(
    start: ModelControlInput,
    private readonly leases: Leases<WorkerReport>,
    nowMs: number,
  ) {
    // A successor continues the version numbers.
    this.#state = {
      openCircuit: undefined,
      backoffUntilMs: 0,
      quota: undefined,
      adaptiveLimit: undefined,
      version: nowMs,
      ...start,
    };
  }

  get input(): { readonly model: ModelControlInput } {
    return { model: this.#state };
  }

  get limits(): Amounts {
    const { inFlight, requestsPerMinute, tokensPerMinute } = this.#state.limits;
    return { inFlight, requests: requestsPerMinute, tokens: tokensPerMinute };
  }

  get version(): number {
    return this.#state.version;
  }

  setLimits(limits: ModelLimits): void {
    this.#change({ limits });
  }

  take(report: WorkerReport, nowMs: number): void {
    const before = this.#state;
    const isNew = this.leases.renew(report, nowMs);
    const otherMembers = this.leases.members.filter(({ worker }) => worker !== report.worker);
    const answeredAtMs = otherMembers.map(
      ({ seenAtMs, answeredAgoMs = Infinity }) => seenAtMs - answeredAgoMs,
    );
    const open = computeCircuit(before.openCircuit, report, answeredAtMs, nowMs);
    const backoffUntilMs = Math.max(before.backoffUntilMs, nowMs + (report.retryAfterMs ?? 0));
    const quota = report.quota ?? (backoffUntilMs > nowMs ? before.quota : undefined);
    const adaptiveLimit = isNew ? before.adaptiveLimit : this.#sumLimits();
    this.#state = { ...before, openCircuit: open, backoffUntilMs, quota, adaptiveLimit };
    // When a worker repeats a known wait, its end shifts by some milliseconds.
    const waitsLonger = backoffUntilMs > before.backoffUntilMs + 1_000;
    if (isNew || waitsLonger || (before.openCircuit === undefined) !== (open === undefined)) this.#change({});
  }

  directives({ worker }: WorkerReport, nowMs: number): Partial<Directives> {
    return {
      backoffMs: this.#backoffMs(nowMs),
      circuit: this.#state.openCircuit && (worker === this.#prober() ? 'probe' : 'open'),
      adaptiveLimit:
        this.#state.adaptiveLimit && Math.ceil(this.#state.adaptiveLimit / this.leases.members.length),
    };
  }

  end(worker: string, nowMs: number): void {
    this.leases.end(worker, nowMs);
    this.#change({});
  }

  state(nowMs: number): ModelState {
    const { requests, tokens } = this.leases.lastMinute(nowMs);
    const { spec, limits, openCircuit: open, quota, adaptiveLimit } = this.#state;
    const backoffMs = this.#backoffMs(nowMs);
    return {
      spec,
      limits,
      outage: open && { since: new Date(open.sinceMs).toISOString(), cause: open.cause },
      backoffMs,
      quota: backoffMs === undefined ? undefined : quota,
      adaptiveLimit,
      requestsLastMinute: requests,
      tokensLastMinute: tokens,
    };
  }

  /** Changes the directives of workers. */
  #change(changed: Partial<ModelControlInput>): void {
    this.#state = { ...this.#state, ...changed, version: this.version + 1 };
  }

  #backoffMs(nowMs: number): number | undefined {
    const backoffMs = this.#state.backoffUntilMs - nowMs;
    return backoffMs > 0 ? backoffMs : undefined;
  }

  /** Returns the calls in flight at which the workers hold the model; undefined if none does. */
  #sumLimits(): number | undefined {
    const limits = this.leases.members.flatMap(({ adaptiveLimit }) => adaptiveLimit ?? []);
    return limits.length === 0 ? undefined : limits.reduce((sum, limit) => sum + limit, 0);
  }

  /** Returns the worker that tests whether the model is available again: one that has a call for it. */
  #prober(): string | undefined {
    const { members } = this.leases;
    return (members.find(({ used, waiting }) => waiting + (used.inFlight ?? 0) > 0) ?? members[0])?.worker;
  }
}
