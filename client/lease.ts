import type { CallEnd, Guard, PlannedCall } from '../rules/call-guard';
import { LEASE_MS } from '../rules/leases';
import { MinuteWindow } from '../rules/minute-window';
import type { RunKind } from '../schemas/run';
import type { Spent } from '../schemas/steering';
import type { Directives, RunUsage, WorkerReport } from '../workflows/messages';
import { ModelHealth } from './model-health';
import { startReporting, type Reporting, type ReportingOptions } from './reporting';

/** What a process has done for a run. */
export interface RunActivity {
  readonly spent: Spent;
  /** Calls answered in the last minute. */
  readonly perMinute: number;
}

export interface LeaseOptions extends Omit<ReportingOptions, 'report' | 'onAnswer'> {
  /** Names this process. */
  readonly worker: string;
  readonly run: string;
  readonly kind: RunKind;
  /** Where the lease is of a run: what was done for it, and the most calls in flight where no limit is set. */
  readonly ofRun?: { readonly concurrency: number; readonly activity: () => RunActivity };
  /** Calls that wait to be sent. */
  readonly waiting: () => number;
  /** Called when calls may be sent that might not before. */
  readonly onChange: () => void;
  /** Called when the directives have changed. */
  readonly onDirectives?: (directives: Directives) => void;
}

/**
 * This process's lease of what a run, or a model, may use up: the guard of its calls. Nothing is sent without directives, nor when they
 * were not renewed in time: others may have been granted the same by then.
 */
export class Lease implements Guard {
  #directives: Directives | undefined;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  readonly #inFlight = new Map<PlannedCall, { readonly sentAtMs: number; readonly second: number }>();
  readonly #requests = new MinuteWindow();
  readonly #tokens = new MinuteWindow();
  readonly #health = new ModelHealth();
  #wakeAtMs = Infinity;
  /** The largest step by which its budget was enlarged lately. */
  #slice = 0;
  #reports = 0;
  readonly #reporting: Reporting;

  constructor(private readonly options: LeaseOptions) {
    this.#reporting = startReporting({
      ...options,
      report: (leaving) => this.#report(leaving),
      onAnswer: (directives, reportedAtMs) => this.#direct(directives, reportedAtMs),
    });
  }

  /** The most calls in flight in this process; 0 before it has directives. */
  get inFlight(): number {
    if (this.#directives === undefined) return 0;
    return this.#directives.granted.inFlight ?? this.options.ofRun?.concurrency ?? Infinity;
  }

  /**
   * The calls that this process should have taken on, those in flight included: what can be sent within some seconds. More would wait
   * here while other processes have nothing to send. Infinity where nothing limits them by the minute.
   */
  get sendable(): number {
    const { requests = Infinity, tokens = Infinity } = this.#directives?.granted ?? {};
    const nowMs = performance.now();
    const tokensPerCall = this.#tokens.used(nowMs) / Math.max(1, this.#requests.used(nowMs));
    const perMinute = Math.min(requests, tokensPerCall > 0 ? (tokens * TOKEN_AIM) / tokensPerCall : Infinity);
    const next = Math.ceil((perMinute * AHEAD_MS) / 60_000);
    return this.#inFlight.size + next + Math.min(1, next);
  }

  admits({ estimate }: PlannedCall): boolean {
    const nowMs = performance.now();
    const directives = this.#directives;
    if (directives === undefined || directives.paused !== undefined) return false;
    if (nowMs - this.#renewedAtMs > LEASE_MS || this.#inFlight.size >= this.inFlight) return false;
    if (this.#budgetLeft() <= 0) return false;
    const { requests, tokens } = directives.granted;
    const waits = [
      this.#health.waitMs(this.#inFlight.size, nowMs),
      requests === undefined ? 0 : this.#requests.waitMs(1, requests, nowMs),
      tokens === undefined
        ? 0
        : this.#tokens.waitMs(estimate.input + estimate.output, tokens * TOKEN_AIM, nowMs),
    ];
    const waitMs = waits.reduce<number | undefined>(
      (most, wait) => (most === undefined || wait === undefined ? undefined : Math.max(most, wait)),
      0,
    );
    if (waitMs !== undefined && waitMs > 0) this.#wakeIn(waitMs, nowMs);
    return waitMs === 0;
  }

  /** True where others have all there is: a call that waits here is for them to send. */
  turnsAway(): boolean {
    const { inFlight, requests, tokens } = this.#directives?.granted ?? {};
    return inFlight === 0 || requests === 0 || tokens === 0;
  }

  waiting(): void {
    this.usageChanged();
  }

  entered(call: PlannedCall): void {
    const nowMs = performance.now();
    this.#requests.add(1, nowMs);
    const second = this.#tokens.add(call.estimate.input + call.estimate.output, nowMs);
    this.#inFlight.set(call, { sentAtMs: nowMs, second });
    this.#health.sent(nowMs);
  }

  left(call: PlannedCall, end: CallEnd): void {
    const { sentAtMs = 0, second = 0 } = this.#inFlight.get(call) ?? {};
    this.#inFlight.delete(call);
    if ('entry' in end) {
      const { estimate } = call;
      const { input = estimate.input, output = estimate.output } = end.entry.answer.usage;
      this.#tokens.correct(second, input + output - estimate.input - estimate.output);
    }
    const isUrgent = this.options.ofRun === undefined && this.#health.ended(end, sentAtMs, performance.now());
    // Nothing changes until a pause is lifted, so this is the last news for a while.
    const isDrained = this.#inFlight.size === 0 && this.#directives?.paused !== undefined;
    if (isUrgent || isDrained) this.#reporting.reportNow();
  }

  /** To be called when something was spent. */
  usageChanged(): void {
    if (this.#wantsBudget()) this.#reporting.reportNow();
  }

  /** Reports a last time, and ends the lease. */
  async stop(): Promise<void> {
    await this.#reporting.stop();
  }

  #budgetLeft(): number {
    const { budget, granted } = this.#directives ?? {};
    const { ofRun } = this.options;
    if (budget === undefined || ofRun === undefined) return Infinity;
    return (granted?.budget ?? 0) - ofRun.activity().spent[budget.unit];
  }

  // Before it is used up, so that no call waits for more.
  #wantsBudget(): boolean {
    const { budget, paused } = this.#directives ?? {};
    if (budget === undefined || paused !== undefined) return false;
    return this.#budgetLeft() <= this.#slice / 2 && this.options.waiting() > 0;
  }

  #wakeIn(waitMs: number, nowMs: number): void {
    if (this.#wakeAtMs <= nowMs + waitMs) return;
    const wakeAtMs = nowMs + waitMs;
    this.#wakeAtMs = wakeAtMs;
    const wake = () => {
      if (this.#wakeAtMs === wakeAtMs) this.#wakeAtMs = Infinity;
      this.options.onChange();
    };
    setTimeout(wake, waitMs).unref();
  }

  #report(leaving: boolean): WorkerReport {
    const nowMs = performance.now();
    const { worker, run, kind, ofRun, waiting } = this.options;
    this.#reports += 1;
    const { budget, granted = {}, version: known = 0 } = this.#directives ?? {};
    return {
      worker,
      run,
      kind,
      sequence: this.#reports,
      known,
      leased: granted,
      used: {
        inFlight: this.#inFlight.size,
        requests: this.#requests.used(nowMs),
        tokens: Math.round(this.#tokens.used(nowMs)),
      },
      waiting: waiting(),
      ...this.#health.report(nowMs),
      ...(ofRun === undefined ? {} : { usage: this.#usage(ofRun, budget?.unit) }),
      ...(leaving ? { leaving: true } : {}),
    };
  }

  #usage({ concurrency, activity }: NonNullable<LeaseOptions['ofRun']>, unit?: RunUsage['unit']): RunUsage {
    const { spent, perMinute } = activity();
    return {
      spent,
      perMinute,
      concurrency,
      wantsBudget: this.#wantsBudget(),
      ...(unit === undefined ? {} : { unit }),
    };
  }

  #direct(directives: Directives, reportedAtMs: number): number {
    const before = this.#directives;
    const more = (directives.granted.budget ?? 0) - (before?.granted.budget ?? 0);
    if (more > 0) this.#slice = more;
    this.#directives = directives;
    this.#renewedAtMs = reportedAtMs;
    this.#health.direct(directives, performance.now());
    if (before?.version !== directives.version) this.options.onDirectives?.(directives);
    if (directives.backoffMs !== undefined) this.#wakeIn(directives.backoffMs, performance.now());
    this.options.onChange();
    // There was no more: it is not asked for again and again.
    if (this.#wantsBudget() && more <= 0) return EXHAUSTED_INTERVAL_MS;
    return directives.reportIntervalMs;
  }
}

/** For how long ahead calls are taken on. */
const AHEAD_MS = 3_000;

/** Of a limit on tokens, how much is aimed at: what is in flight may turn out longer than estimated. */
const TOKEN_AIM = 0.95;

/** Between two reports of a worker whose budget could not be enlarged. */
const EXHAUSTED_INTERVAL_MS = 200;
