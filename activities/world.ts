import type { Journal } from '../data/run/journal';
import type { Store } from '../data/store/store';
import type { BatchModel } from '../models/batches/batch';
import type { Model, ModelRequest, Sending } from '../models/model';
import type { PromptPack } from '../schemas/run/prompts';
import type { JournalEntry } from '../schemas/run/journal';
import type { ModelUse } from '../engine/model-facts/uses';
import type { Guard, PlannedCall } from '../engine/limits/call-guard';
import type { CallGate } from './call-gate';
import type { RunListener } from './run-events';
import type { FlexCapacity } from './flex-capacity';
import type { RunLedger } from './run-ledger';

/** Everything that the activities of one run use, provided by their worker. */
export interface World<Files extends RunFiles = RunFiles> {
  /** Inputs of the run. */
  readonly run: Files;
  model(spec: string): Promise<Model>;
  /** Returns the same model with its batches; undefined if its provider has none. */
  batches(spec: string): Promise<BatchModel | undefined>;
  /** Makes a short call to the model of a step. Returns true if it is answered, false for a model that needs no check. */
  answersCheck(use: ModelUse): Promise<boolean>;
  /** Collects a call without an answer in the journal; false for a call that is to be sent. */
  readonly collect?: (call: CallRequest) => Promise<boolean>;
  /** Returns the tier that the model's calls go to. */
  tierOf(spec: string): FlexCapacity;
  readonly gate: CallGate;
  /** Returns the number of calls that this process may take on now, by its leases. */
  readonly capacity: () => number;
  /** Returns the limits of a call, all of which must admit it. */
  guardsOf(call: PlannedCall): readonly Guard[];
  /** Records the calls of this process for the run, and their outcomes. */
  readonly ledger: Pick<RunLedger, 'worker' | 'rows' | 'estimate' | 'sent'>;
  /** Adds to the stream of the run's events. */
  readonly emit: RunListener;
}

/** A call with its request, and the hashes that the journal compares; it is sent, or collected for a batch. */
export interface CallRequest extends PlannedCall, Pick<JournalEntry, 'request' | 'settings'> {
  readonly asked: ModelRequest;
  readonly sending: Sending;
}

/** A run as the activities of any run see it. */
export interface RunFiles {
  readonly id: string;
  readonly store: Store;
  readonly journal: Journal;
  readonly settings: { readonly seed: number };
  readonly prompts: PromptPack;
}
