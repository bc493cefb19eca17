/** Failures in a row, in one worker, after which a model that answers no other worker counts as unavailable. */
export const FAILURES_TO_OPEN = 5;

/** An answer that another worker had so recently shows that the model is available. */
const ANSWERED_LATELY_MS = 15_000;

/** Whether calls to a model are held back: its circuit is open while it answers nobody. */
export interface Circuit {
  /** Absent while it is closed. */
  readonly open?: { readonly sinceMs: number; readonly cause: string };
  /** By worker: its answers so far, and when one was last reported. */
  readonly answers: Readonly<Record<string, { readonly count: number; readonly atMs: number }>>;
}

/** What a worker reports of a model's answers. */
export interface CircuitReport {
  readonly worker: string;
  /** Calls answered since it began. */
  readonly answered: number;
  /** Retryable failures in a row, without an answer in between; 0 after an answer. */
  readonly failures: number;
  /** The message of the last of them. */
  readonly failure?: string;
}

/** The circuit once a report is taken in. */
export function circuitAfter(circuit: Circuit, report: CircuitReport, nowMs: number): Circuit {
  const { worker, answered, failures, failure } = report;
  const before = circuit.answers[worker];
  const isNew = answered > (before?.count ?? 0);
  const answers = {
    ...circuit.answers,
    [worker]: { count: answered, atMs: isNew ? nowMs : (before?.atMs ?? 0) },
  };
  const failing = failures >= FAILURES_TO_OPEN;
  // What was answered before so many failures does not show how the model is now.
  if (isNew && !failing) return { answers };
  if (circuit.open !== undefined || !failing) return { ...circuit, answers };
  const others = Object.entries(answers).filter(([other]) => other !== worker);
  // One worker's network may be at fault.
  if (others.some(([, { atMs }]) => nowMs - atMs < ANSWERED_LATELY_MS)) return { answers };
  return { open: { sinceMs: nowMs, cause: failure ?? 'it does not respond' }, answers };
}

/** The circuit without a worker that is gone. */
export function circuitWithout({ answers, ...circuit }: Circuit, worker: string): Circuit {
  const { [worker]: _, ...others } = answers;
  return { ...circuit, answers: others };
}
