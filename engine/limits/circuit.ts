/** Recent outcomes of calls by which a circuit is judged. */
const WINDOW = 20;

/** Minimum number of outcomes that show anything. */
const LEAST_OUTCOMES = 10;

/** Share of failures at which a model counts as unavailable; one that fails two calls of three is slow. */
const FAILING_SHARE = 0.95;

/** An answer to another worker within this time shows that the model is available. */
const ANSWERED_LATELY_MS = 15_000;

/** The latest outcomes of a worker's calls to a model. */
export class RecentOutcomes {
  #answered: boolean[] = [];
  #failures = 0;

  /** Records an outcome; an answer after the circuit was open shows that the model is available again, so earlier ones no longer count. */
  record(isAnswer: boolean, wasOpen = false): void {
    if (isAnswer && wasOpen) {
      this.#answered = [];
      this.#failures = 0;
    }
    this.#answered.push(isAnswer);
    if (!isAnswer) this.#failures += 1;
    if (this.#answered.length > WINDOW && this.#answered.shift() === false) this.#failures -= 1;
  }

  /** Returns true if hardly any call is answered. */
  get areFailing(): boolean {
    const { length } = this.#answered;
    return length >= LEAST_OUTCOMES && this.#failures >= length * FAILING_SHARE;
  }
}

/** An open circuit: the model answers no worker, so calls are held back, except one of one worker every few seconds. */
export interface OpenCircuit {
  readonly sinceMs: number;
  readonly cause: string;
}

export interface CircuitReport {
  /** Time since its last answer; absent before the first. Answers to calls sent before the failures began do not count. */
  readonly answeredAgoMs?: number | undefined;
  /** True if hardly any of its latest calls was answered. */
  readonly isFailing: boolean;
  /** Message of the last failure. */
  readonly failure?: string | undefined;
}

/**
 * Returns the circuit after a report; undefined while it is closed.
 * @param othersAnsweredAtMs times of the other workers' last answers
 */
export function computeCircuit(
  open: OpenCircuit | undefined,
  { answeredAgoMs = Infinity, isFailing, failure = 'it does not respond' }: CircuitReport,
  othersAnsweredAtMs: readonly number[],
  nowMs: number,
): OpenCircuit | undefined {
  // Answers from before the circuit opened, or before these failures, say nothing about the model now.
  if (open !== undefined) return isFailing || nowMs - answeredAgoMs <= open.sinceMs ? open : undefined;
  // If other workers get answers, the cause may be the network of this one.
  const isAvailable = othersAnsweredAtMs.some((atMs) => nowMs - atMs < ANSWERED_LATELY_MS);
  return isFailing && !isAvailable ? { sinceMs: nowMs, cause: failure } : undefined;
}
