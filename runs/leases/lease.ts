import type { CallEnd, Guard, PlannedCall } from '../../engine/limits/call-guard';
import type { RunEvent } from '../../activities/run-events';
import { LEASE_MS } from '../../engine/limits/leases';
import { MinuteWindow } from '../../engine/limits/minute-window';
import type { RunKind } from '../../schemas/run/run';
import type { SpentAmounts } from '../../schemas/run/steering';
import type { Directives, WorkerReport } from '../../workflows/messages';
import { ModelHealth } from './model-health';
import { Reporting, type ReportingOptions } from './reporting';

interface RunActivity {
  readonly spent: SpentAmounts;
  /** Number of calls answered in the last minute. */
  readonly perMinute: number;
}

export interface RunProcess extends Pick<ReportingOptions, 'client' | 'leastQueryMs' | 'onUnresponsive'> {
  readonly worker: string;
  readonly codeVersion: string;
  readonly run: string;
  readonly kind: RunKind;
  /** Maximum calls in flight if no limit is set. */
  readonly concurrency: number;
  readonly activity: () => RunActivity;
  /** Counts the calls that wait to be sent. */
  readonly waiting: (isCounted: (call: PlannedCall) => boolean) => number;
  /** Counts the failed calls that wait before they are sent again. */
  readonly backingOff: () => number;
  /** Called when more calls may be sent. */
  readonly onChange: () => void;
  readonly onDirectives: (directives: Directives) => void;
}

/** Subject of a lease: the amounts of a run or, with its SPEC, of a model. */
interface LeasedAmounts extends Pick<ReportingOptions, 'workflowId' | 'start'> {
  readonly spec?: string;
  /** Stores the calls in flight at which the model is held; undefined if it no longer is. */
  readonly storeLimit?: (inFlight: number | undefined) => void;
}

/**
 * This process's lease on the amounts of a run or a model; guards its calls. Nothing is sent without directives, or after they expired,
 * because others may have been granted the same by then.
 */
export class Lease implements Guard {
  #directives: Directives | undefined;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  readonly #inFlight = new Map<PlannedCall, { readonly sentAtMs: number; readonly second: number }>();
  readonly #requests = new MinuteWindow();
  readonly #tokens = new MinuteWindow();
  readonly #health = new ModelHealth();
  #wakeAtMs = Infinity;
  /** Largest recent increase of its budget. */
  #slice = 0;
  #reports = 0;
  #storedLimit: number | undefined;
  readonly #reporting: Reporting;

  constructor(
    private readonly process: RunProcess,
    private readonly leased: LeasedAmounts,
  ) {
    this.#reporting = new Reporting({
      ...process,
      ...leased,
      report: (leaving) => this.#report(leaving),
      onAnswer: (directives, reportedAtMs) => this.#direct(directives, reportedAtMs),
    });
  }

  get #isOfRun(): boolean {
    return this.leased.spec === undefined;
  }

  /** Returns the number of calls that wait to be sent. */
  get #waiting(): number {
    const { spec } = this.leased;
    return this.process.waiting((call) => spec === undefined || call.spec === spec);
  }

  /** Returns whether its control workflow has answered recently; otherwise nothing is sent. */
  get isRenewed(): boolean {
    return performance.now() - this.#renewedAtMs <= LEASE_MS;
  }

  /** Returns the maximum calls in flight in this process; 0 before it has directives. */
  get inFlight(): number {
    if (this.#directives === undefined) return 0;
    return this.#directives.grants.inFlight ?? (this.#isOfRun ? this.process.concurrency : Infinity);
  }

  /**
   * Returns the number of calls that this process should have, including those in flight: as many as it can send within seconds. More would
   * wait here while other processes are idle. Infinity if nothing limits them by the minute.
   */
  get sendable(): number {
    const { requests = Infinity, tokens = Infinity } = this.#directives?.grants ?? {};
    const nowMs = performance.now();
    const tokensPerCall = this.#tokens.countUsed(nowMs) / Math.max(1, this.#requests.countUsed(nowMs));
    const perMinute = Math.min(requests, tokensPerCall > 0 ? (tokens * TOKEN_AIM) / tokensPerCall : Infinity);
    const next = Math.ceil((perMinute * AHEAD_MS) / 60_000);
    return this.#inFlight.size + next + Math.min(1, next);
  }

  admits({ estimate }: PlannedCall): boolean {
    const nowMs = performance.now();
    const directives = this.#directives;
    if (directives === undefined || directives.pause !== undefined) return false;
    if (!this.isRenewed || this.#inFlight.size >= this.inFlight) return false;
    if (this.#budgetLeft() <= 0) return false;
    const { requests = Infinity, tokens = Infinity } = directives.grants;
    const waitMs = Math.max(
      // Only the lease of a model sees what its provider allows.
      this.#isOfRun ? 0 : this.#health.waitMs(this.#inFlight.size, nowMs),
      this.#requests.waitMs(1, requests, nowMs),
      this.#tokens.waitMs(estimate.input + estimate.output, tokens * TOKEN_AIM, nowMs),
    );
    if (waitMs > 0 && waitMs < Infinity) this.#wakeIn(waitMs, nowMs);
    return waitMs === 0;
  }

  /** Returns true if other processes have the whole amount, so that they should send the calls that wait here. */
  rejects(): boolean {
    const { inFlight, requests, tokens } = this.#directives?.grants ?? {};
    return inFlight === 0 || requests === 0 || tokens === 0;
  }

  /** Counts a call that starts or stops using the lease. */
  count(event: Extract<RunEvent, { type: 'admitted' | 'released' }>): void {
    if (event.type === 'admitted') this.#begin(event.call);
    else this.#end(event.call, event.end);
  }

  #begin(call: PlannedCall): void {
    const nowMs = performance.now();
    this.#requests.add(1, nowMs);
    const second = this.#tokens.add(call.estimate.input + call.estimate.output, nowMs);
    this.#inFlight.set(call, { sentAtMs: nowMs, second });
    this.#health.sent(nowMs);
  }

  #end(call: PlannedCall, end: CallEnd): void {
    const { sentAtMs = 0, second = 0 } = this.#inFlight.get(call) ?? {};
    this.#inFlight.delete(call);
    if ('entry' in end) {
      const { estimate } = call;
      const { input = estimate.input, output = estimate.output } = end.entry.answer.usage;
      this.#tokens.correct(second, input + output - estimate.input - estimate.output);
    }
    const isUrgent = !this.#isOfRun && this.#health.ended(end, sentAtMs, performance.now());
    // Nothing changes until a pause is lifted, so this is the last report for a while.
    const isDrained = this.#inFlight.size === 0 && this.#directives?.pause !== undefined;
    if (isUrgent || isDrained) this.#reporting.reportNow();
  }

  /** Reports now if calls wait and the budget runs low. Must be called when something was spent, or a call waits. */
  usageChanged(): void {
    if (this.#wantsBudget()) this.#reporting.reportNow();
  }

  /** Reports a last time, and ends the lease. */
  async stop(): Promise<void> {
    await this.#reporting.stop();
  }

  #budgetLeft(): number {
    const { budget, grants } = this.#directives ?? {};
    if (budget === undefined) return Infinity;
    return (grants?.budget ?? 0) - this.process.activity().spent[budget.unit];
  }

  // Before it is used up, so that no call waits for more.
  #wantsBudget(): boolean {
    const { budget, pause } = this.#directives ?? {};
    if (budget === undefined || pause !== undefined) return false;
    return this.#budgetLeft() <= this.#slice / 2 && this.#waiting > 0;
  }

  #wakeIn(waitMs: number, nowMs: number): void {
    if (this.#wakeAtMs <= nowMs + waitMs) return;
    const wakeAtMs = nowMs + waitMs;
    this.#wakeAtMs = wakeAtMs;
    const wake = () => {
      if (this.#wakeAtMs === wakeAtMs) this.#wakeAtMs = Infinity;
      this.process.onChange();
    };
    setTimeout(wake, waitMs).unref();
  }

  #report(leaving: boolean): WorkerReport {
    const nowMs = performance.now();
    const { worker, codeVersion, run, kind, concurrency, activity } = this.process;
    const { budget, grants = {}, version: directivesVersion = 0 } = this.#directives ?? {};
    const wantsBudget = this.#wantsBudget();
    const { adaptiveLimit: foundLimit = Infinity, ...health } = this.#health.report(nowMs);
    // Above its own concurrency, the provider's limit does not matter.
    const adaptiveLimit = foundLimit <= concurrency ? foundLimit : undefined;
    if (adaptiveLimit !== this.#storedLimit) this.leased.storeLimit?.(adaptiveLimit);
    this.#storedLimit = adaptiveLimit;
    this.#reports += 1;
    return {
      worker,
      codeVersion,
      run,
      kind,
      sequence: this.#reports,
      directivesVersion,
      leased: grants,
      used: {
        inFlight: this.#inFlight.size,
        requests: this.#requests.countUsed(nowMs),
        tokens: Math.round(this.#tokens.countUsed(nowMs)),
      },
      waiting: this.#waiting,
      ...health,
      adaptiveLimit,
      usage: this.#isOfRun ? { ...activity(), concurrency, unit: budget?.unit, wantsBudget } : undefined,
      ...(leaving && { isLast: leaving }),
    };
  }

  #direct(directives: Directives, reportedAtMs: number): number {
    const before = this.#directives;
    const addedBudget = (directives.grants.budget ?? 0) - (before?.grants.budget ?? 0);
    if (addedBudget > 0) this.#slice = addedBudget;
    this.#directives = directives;
    this.#renewedAtMs = reportedAtMs;
    this.#health.direct(directives, performance.now());
    if (this.#isOfRun && before?.version !== directives.version) this.process.onDirectives(directives);
    if (directives.backoffMs !== undefined) this.#wakeIn(directives.backoffMs, performance.now());
    this.process.onChange();
    // There was no more, so the next request waits a moment.
    if (this.#wantsBudget() && addedBudget <= 0) return EXHAUSTED_INTERVAL_MS;
    return directives.reportIntervalMs;
  }
}

/** Time in advance for which calls are taken on. */
const AHEAD_MS = 3_000;

/** Share of a token limit that is used, because calls in flight may need more than estimated. */
const TOKEN_AIM = 0.95;

/** Interval of reports by a worker whose budget could not be increased. */
const EXHAUSTED_INTERVAL_MS = 200;
