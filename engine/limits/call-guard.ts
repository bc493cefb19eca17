import type { CallEstimate } from '../../schemas/run/ledger';
import type { JournalEntry } from '../../schemas/run/journal';
import type { Step } from '../../schemas/run/step';

/** A call that is about to be sent. */
export interface PlannedCall {
  readonly key: string;
  readonly spec: string;
  readonly step: Step;
  readonly estimate: CallEstimate;
}

/** A limit on calls: of a run (budget, pauses), of a model, or of this process. */
export interface Guard {
  admits(call: PlannedCall): boolean;
  /** Returns true if this process cannot send such calls for now. The call is returned, so that another process can send it. */
  rejects?(call: PlannedCall): boolean;
}

/** An answer; or no answer, with the provider's message if the failure is retryable. */
export type CallEnd = { readonly entry: JournalEntry } | { readonly failure?: RetryableFailure };

interface RetryableFailure {
  readonly kind: string;
  readonly message: string;
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfterMs?: number;
  /** The daily quota that is used up. */
  readonly quota?: string;
}
