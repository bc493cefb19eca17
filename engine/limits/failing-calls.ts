interface OutcomeCounts {
  answers: number;
  failures: number;
  answeredAtMs: number;
}

interface FailingCall {
  readonly sinceMs: number;
  failures: number;
  /** All calls to its model, and their counts before this one failed. */
  readonly ofModel: OutcomeCounts;
  readonly before: Readonly<OutcomeCounts>;
}

/** Evidence that a call fails by itself. */
export interface OwnFailures {
  readonly failures: number;
  /** Milliseconds since the first of them. */
  readonly forMs: number;
  /** Number of other calls that were answered since then. */
  readonly othersAnswered: number;
}

/**
 * Distinguishes a call that fails by itself from a model that fails. A request may break its server, or its answer may take longer than a proxy
 * waits. It would fail for ever, and each attempt may be paid for.
 */
export class FailingCalls {
  readonly #models = new Map<string, OutcomeCounts>();
  readonly #calls = new Map<string, FailingCall>();
  /** Calls that each model rejected since its last answer. */
  readonly #rejected = new Map<string, Set<string>>();

  /** @param lastingMs time after which a call may be given up: a part of a provider that only some requests reach may recover */
  constructor(private readonly lastingMs = 10 * 60_000) {}

  answered(model: string, key: string, nowMs: number): void {
    const ofModel = this.#countsOf(model);
    ofModel.answers += 1;
    ofModel.answeredAtMs = nowMs;
    this.#calls.delete(key);
    this.#rejected.delete(model);
  }

  failed(model: string, key: string, nowMs: number): void {
    const ofModel = this.#countsOf(model);
    const call = this.#calls.get(key) ?? { sinceMs: nowMs, failures: 0, ofModel, before: { ...ofModel } };
    this.#calls.set(key, call);
    call.failures += 1;
    ofModel.failures += 1;
  }

  /** Counts a call that its model rejected. Returns the number of those since its last answer. */
  rejected(model: string, key: string): number {
    const keys = this.#rejected.get(model) ?? new Set<string>();
    this.#rejected.set(model, keys.add(key));
    return keys.size;
  }

  /** Forgets a call that is not sent again. */
  ended(key: string): void {
    this.#calls.delete(key);
  }

  /** Returns the evidence that a call would fail for ever; undefined if it may be answered. */
  findOwnFailures(key: string, nowMs: number): OwnFailures | undefined {
    const call = this.#calls.get(key);
    if (call === undefined || nowMs - call.sinceMs < this.lastingMs || this.#computeChance(key) >= OWN_CHANCE)
      return undefined;
    return this.#describe(call, nowMs);
  }

  /**
   * Returns a call's failures if nothing was answered for as long: its model is away, or only calls remain that fail by themselves. A short call to
   * the model shows which.
   */
  findUnanswered(key: string, nowMs: number): OwnFailures | undefined {
    const call = this.#calls.get(key);
    if (call === undefined || call.failures < LEAST_FAILURES) return undefined;
    const sinceMs = Math.max(call.sinceMs, call.ofModel.answeredAtMs);
    return nowMs - sinceMs < this.lastingMs ? undefined : this.#describe(call, nowMs);
  }

  #describe({ failures, sinceMs, ofModel, before }: FailingCall, nowMs: number): OwnFailures {
    return { failures, forMs: nowMs - sinceMs, othersAnswered: ofModel.answers - before.answers };
  }

  /** Computes the probability that a call like the others since its first failure fails as often; 1 while no other is answered. */
  #computeChance(key: string): number {
    const call = this.#calls.get(key);
    if (call === undefined) return 1;
    const { failures, ofModel, before } = call;
    const othersAnswered = ofModel.answers - before.answers;
    const othersFailed = ofModel.failures - before.failures - failures;
    return ((othersFailed + 1) / (othersAnswered + othersFailed + 1)) ** failures;
  }

  #countsOf(model: string): OutcomeCounts {
    const counts = this.#models.get(model) ?? {
      answers: 0,
      failures: 0,
      answeredAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#models.set(model, counts);
    return counts;
  }
}

/** Failures that are no chance where a call to the same model succeeds. */
const LEAST_FAILURES = 20;

/** So small that a run of 100,000 calls hardly gives up one that would be answered. */
const OWN_CHANCE = 1e-6;
