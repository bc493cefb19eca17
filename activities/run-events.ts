import type { CallEnd, PlannedCall } from '../engine/limits/call-guard';
import type { MemoryEvent } from '../models/memory/client';
import type { ModelRequest } from '../models/model';
import type { ModelFacts } from '../schemas/model/model-table';
import type { JournalEntry } from '../schemas/run/journal';
import type { Ledger, LedgerRow, SentLine } from '../schemas/run/ledger';
import type { Step } from '../schemas/run/step';

/** Parameters of a request, without any of its text. */
export type RequestParameters = Pick<ModelRequest, 'temperature' | 'maxTokens' | 'seed'>;

/** An event of this process while it works for a run. Ledger, leases, logs, metrics and traces follow these events. */
export type RunEvent =
  /** A call waits for its limits. */
  | { readonly type: 'waiting'; readonly call: PlannedCall }
  /** A call may be sent, and counts from now on. */
  | { readonly type: 'admitted'; readonly call: PlannedCall }
  /** A call is about to be sent, with its first line of the ledger. `id` names it in the journal. */
  | {
      readonly type: 'sent';
      readonly id: string;
      readonly line: SentLine;
      readonly request: RequestParameters;
    }
  /** A call was answered, with the sum of its two lines of the ledger. */
  | {
      readonly type: 'answered';
      readonly id: string;
      readonly line: SentLine;
      readonly row: LedgerRow;
      readonly entry: JournalEntry;
    }
  /** A call has no answer, with the kind of its error. There is no row if it was not sent because the ledger could not be written. */
  | {
      readonly type: 'failed';
      readonly id: string;
      readonly line: SentLine;
      readonly kind: string;
      readonly row?: LedgerRow;
    }
  /** An admitted call is over, whether it was sent or not. */
  | { readonly type: 'released'; readonly call: PlannedCall; readonly end: CallEnd }
  /** The journal already had the answer. */
  | { readonly type: 'found'; readonly step: Step; readonly spec: string }
  /** The calls of a batch ended, with the sums of its ledger. */
  | { readonly type: 'batch'; readonly rows: Ledger }
  /** The parameters sent to a model changed, because of what its provider rejected or answered. */
  | {
      readonly type: 'learned';
      readonly spec: string;
      readonly facts: ModelFacts;
      readonly message: string;
    }
  /** The oldest message that a memory system has not replied to for a while; without a message, there is none anymore. */
  | Extract<MemoryEvent, { readonly type: 'silent' }>
  /** A notice for the user; no work waits for it. Listeners get only the first event about a matter. */
  | { readonly type: 'noticed'; readonly about: string; readonly message: string }
  /** An outside cause delays the run, which continues by itself, or once the cause is fixed. */
  | { readonly type: 'delayed'; readonly cause: string; readonly message: string };

/** Receives the events of a run in their order; must not throw. */
export type RunListener = (event: RunEvent) => void;

/** Stream of a run's events in this process. */
export class RunEvents {
  readonly #listeners: RunListener[] = [];
  readonly #noticed = new Set<string>();

  /** Registers listeners, which are called with every later event, in this order. */
  subscribe(...listeners: readonly RunListener[]): void {
    this.#listeners.push(...listeners);
  }

  readonly emit: RunListener = (event) => {
    if (event.type === 'noticed') {
      if (this.#noticed.has(event.about)) return;
      this.#noticed.add(event.about);
    }
    for (const listen of this.#listeners) listen(event);
  };
}
