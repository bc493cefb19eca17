import type { CallEstimate } from '../schemas/run/ledger';
import type { JournalEntry } from '../schemas/run/journal';
import type { Step } from '../schemas/run/step';

/** A model call about to be sent. */
export interface PlannedCall {
  readonly key: string;
  readonly spec: string;
  readonly step: Step;
  readonly estimate: CallEstimate;
}

/** Somebody who has a say in which calls are sent: for a run (its budget, its pauses), or for a model (its limits). */
export interface Guard {
  admits(call: PlannedCall): boolean;
  /** True when nothing of its kind can be sent from here for now: it is given back, for another process to send. */
  rejects?(call: PlannedCall): boolean;
  waiting?(call: PlannedCall): void;
  entered(call: PlannedCall): void;
  left(call: PlannedCall, ended: CallEnd): void;
}

/** An answer; or no answer, and what the provider said when the failure is retryable. */
export type CallEnd = { readonly entry: JournalEntry } | { readonly failure?: RetryableFailure };

interface RetryableFailure {
  readonly kind: string;
  readonly message: string;
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfterMs?: number;
}
