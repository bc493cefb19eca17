interface OutcomeCounts {
  answers: number;
  failures: number;
  answeredAtMs: number;
}

interface FailingCall {
  readonly sinceMs: number;
  /** All its failures, and those before which other calls were answered: an outage fails every call. */
  attempts: number;
  failures: number;
  /** Answers of its model when a failure was last counted. */
  answersSeen: number;
  /** When a short call to its model was answered, and its attempts until then; absent if none was. */
  check?: { readonly atMs: number; readonly attempts: number };
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
 * waits. It would fail forever, and each attempt may be paid for.
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
    const call = this.#calls.get(key) ?? {
      sinceMs: nowMs,
      attempts: 0,
      failures: 0,
      answersSeen: -1,
      ofModel,
      before: { ...ofModel },
    };
    this.#calls.set(key, call);
    call.attempts += 1;
    ofModel.failures += 1;
    if (ofModel.answers <= call.answersSeen) return;
    call.failures += 1;
    call.answersSeen = ofModel.answers;
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

  /** Returns the evidence that a call would fail forever; undefined if it may be answered. */
  findOwnFailures(key: string, nowMs: number): OwnFailures | undefined {
    const call = this.#calls.get(key);
    if (call === undefined || nowMs - call.sinceMs < this.lastingMs) return undefined;
    // An outage may have ended with the check, so the call is sent again after it.
    const attemptsSince = call.attempts - (call.check?.attempts ?? call.attempts);
    const failsBesideCheck = isChecked(call) && attemptsSince >= LEAST_AFTER_CHECK;
    return failsBesideCheck || this.#computeChance(call) < OWN_CHANCE
      ? this.#describe(call, nowMs)
      : undefined;
  }

  /**
   * Returns whether a check is due: nothing was answered for long, so the model is away, or only calls remain that fail by themselves. A short call to
   * the model shows which.
   */
  needsCheck(key: string, nowMs: number): boolean {
    const call = this.#calls.get(key);
    if (call === undefined || call.attempts < LEAST_ATTEMPTS) return false;
    return !isChecked(call) && nowMs - Math.max(call.sinceMs, call.ofModel.answeredAtMs) >= this.lastingMs;
  }

  /** Records that a short call to the model of a call was answered. */
  checked(key: string, nowMs: number): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.check = { atMs: nowMs, attempts: call.attempts };
  }

  #describe({ attempts, sinceMs, ofModel, before }: FailingCall, nowMs: number): OwnFailures {
    return { failures: attempts, forMs: nowMs - sinceMs, othersAnswered: ofModel.answers - before.answers };
  }

  /** Computes the probability that a call like the others since its first failure fails as often; 1 while no other is answered. */
  #computeChance({ attempts, failures, ofModel, before }: FailingCall): number {
    const othersAnswered = ofModel.answers - before.answers;
    const othersFailed = ofModel.failures - before.failures - attempts;
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

/** Attempts before a check, and after one that is answered. */
const LEAST_ATTEMPTS = 20;
const LEAST_AFTER_CHECK = 3;

/** Returns true if a short call was answered, and no other since. */
function isChecked({ check, ofModel }: FailingCall): boolean {
  return check !== undefined && check.atMs >= ofModel.answeredAtMs;
}

/** So small that a run of 100,000 calls hardly gives up one that would be answered. */
const OWN_CHANCE = 1e-6;
