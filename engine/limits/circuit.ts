/** Failures in a row, in one worker, after which a model that answers no other worker counts as unavailable. */
export const FAILURES_TO_OPEN = 5;

/** An answer that another worker had so recently shows that the model is available. */
const ANSWERED_LATELY_MS = 15_000;

/** Calls to a model that answers no worker are held back: one worker sends it one call every few seconds. */
export interface OpenCircuit {
  readonly sinceMs: number;
  readonly cause: string;
}

export interface CircuitReport {
  /** Since its last answer, those to calls that were sent before the model failed left out; absent before the first. */
  readonly answeredAgoMs?: number | undefined;
  /** Retryable failures in a row, without an answer in between; 0 after an answer. */
  readonly failures: number;
  /** The message of the last of them. */
  readonly failure?: string | undefined;
}

/**
 * Returns the circuit once a report is taken in; undefined while it is closed.
 * @param othersAnsweredAtMs when the other workers had their last answers
 */
export function computeCircuit(
  open: OpenCircuit | undefined,
  { answeredAgoMs = Infinity, failures, failure = 'it does not respond' }: CircuitReport,
  othersAnsweredAtMs: readonly number[],
  nowMs: number,
): OpenCircuit | undefined {
  const isFailing = failures >= FAILURES_TO_OPEN;
  // What was answered before the circuit opened, or before this many failures, does not show how the model is now.
  if (open !== undefined) return isFailing || nowMs - answeredAgoMs <= open.sinceMs ? open : undefined;
  // The cause may be the network of one worker.
  const isAvailable = othersAnsweredAtMs.some((atMs) => nowMs - atMs < ANSWERED_LATELY_MS);
  return isFailing && !isAvailable ? { sinceMs: nowMs, cause: failure } : undefined;
}
