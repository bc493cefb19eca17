import { circuitAfter, circuitWithout, type Circuit } from '../rules/circuit';
import type { Amounts, Leases } from '../rules/leases';
import type { ModelLimits } from '../schemas/steering';
import type { Directives, ModelState, WorkerReport } from './messages';

/** What the control of a model starts with, and goes on with when it continues as new. */
export interface ModelControlInput {
  readonly spec: string;
  readonly limits: ModelLimits;
  readonly circuit?: Circuit;
  /** Until when the provider asked to wait; workflow time in milliseconds. */
  readonly backoffUntilMs?: number;
  readonly version?: number;
}

/** The limits of one model over all workers of all runs, its circuit, and how long its provider asked to wait. */
export class ModelControl {
  readonly #spec: string;
  #limits: ModelLimits;
  #circuit: Circuit;
  #backoffUntilMs: number;
  #version: number;

  constructor(
    { spec, limits, circuit = { answers: {} }, backoffUntilMs = 0, version }: ModelControlInput,
    private readonly leases: Leases,
    nowMs: number,
  ) {
    // One that replaces another counts on from there.
    this.#version = version ?? nowMs;
    this.#spec = spec;
    this.#limits = limits;
    this.#circuit = circuit;
    this.#backoffUntilMs = backoffUntilMs;
  }

  get input(): { readonly model: ModelControlInput } {
    return {
      model: {
        spec: this.#spec,
        limits: this.#limits,
        circuit: this.#circuit,
        backoffUntilMs: this.#backoffUntilMs,
        version: this.#version,
      },
    };
  }

  get limits(): Amounts {
    const { inFlight, requestsPerMinute: requests, tokensPerMinute: tokens } = this.#limits;
    return {
      ...(inFlight === undefined ? {} : { inFlight }),
      ...(requests === undefined ? {} : { requests }),
      ...(tokens === undefined ? {} : { tokens }),
    };
  }

  get version(): number {
    return this.#version;
  }

  setLimits(limits: ModelLimits): void {
    this.#limits = limits;
    this.#version += 1;
  }

  take(report: WorkerReport, nowMs: number): void {
    const wasOpen = this.#circuit.open !== undefined;
    const isNew = this.leases.renew(report, nowMs);
    this.#circuit = circuitAfter(this.#circuit, report, nowMs);
    const backoffUntilMs = nowMs + (report.retryAfterMs ?? 0);
    // A worker that repeats what is known reports some milliseconds late.
    const waitsLonger = backoffUntilMs > this.#backoffUntilMs + 1_000;
    this.#backoffUntilMs = Math.max(this.#backoffUntilMs, backoffUntilMs);
    if (isNew || waitsLonger || wasOpen !== (this.#circuit.open !== undefined)) this.#version += 1;
  }

  directives({ worker }: WorkerReport, nowMs: number): Partial<Directives> {
    const backoffMs = this.#backoffUntilMs - nowMs;
    return {
      version: this.#version,
      ...(backoffMs > 0 ? { backoffMs } : {}),
      ...(this.#circuit.open === undefined ? {} : { circuit: worker === this.#prober() ? 'probe' : 'open' }),
    };
  }

  end(worker: string): void {
    this.#circuit = circuitWithout(this.#circuit, worker);
    this.#version += 1;
  }

  state(nowMs: number): ModelState {
    const { requests, tokens } = this.leases.lastMinute(nowMs);
    const { open } = this.#circuit;
    const backoffMs = this.#backoffUntilMs - nowMs;
    return {
      spec: this.#spec,
      limits: this.#limits,
      ...(open === undefined
        ? {}
        : { unavailable: { since: new Date(open.sinceMs).toISOString(), cause: open.cause } }),
      ...(backoffMs > 0 ? { backoffMs } : {}),
      requestsLastMinute: requests,
      tokensLastMinute: tokens,
    };
  }

  /** Who finds out whether the model is available again: one that has a call for it. */
  #prober(): string | undefined {
    const { members } = this.leases;
    return (members.find(({ used, waiting }) => waiting + (used.inFlight ?? 0) > 0) ?? members[0])?.worker;
  }
}
