/** Number of successive failures in one worker after which the circuit opens, unless another worker gets answers. */
export const FAILURES_TO_OPEN = 5;

/** An answer to another worker within this time shows that the model is available. */
const ANSWERED_LATELY_MS = 15_000;

/** An open circuit: the model answers no worker, so calls are held back, except one of one worker every few seconds. */
export interface OpenCircuit {
  readonly sinceMs: number;
  readonly cause: string;
}

export interface CircuitReport {
  /** Time since its last answer; absent before the first. Answers to calls sent before the failures began do not count. */
  readonly answeredAgoMs?: number | undefined;
  /** Number of successive retryable failures since the last answer. */
  readonly failures: number;
  /** Message of the last failure. */
  readonly failure?: string | undefined;
}

/**
 * Returns the circuit after a report; undefined while it is closed.
 * @param othersAnsweredAtMs times of the other workers' last answers
 */
export function computeCircuit(
  open: OpenCircuit | undefined,
  { answeredAgoMs = Infinity, failures, failure = 'it does not respond' }: CircuitReport,
  othersAnsweredAtMs: readonly number[],
  nowMs: number,
): OpenCircuit | undefined {
  const isFailing = failures >= FAILURES_TO_OPEN;
  // Answers from before the circuit opened, or before this many failures, say nothing about the model now.
  if (open !== undefined) return isFailing || nowMs - answeredAgoMs <= open.sinceMs ? open : undefined;
  // If other workers get answers, the cause may be the network of this one.
  const isAvailable = othersAnsweredAtMs.some((atMs) => nowMs - atMs < ANSWERED_LATELY_MS);
  return isFailing && !isAvailable ? { sinceMs: nowMs, cause: failure } : undefined;
}
