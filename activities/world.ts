import type { Journal } from '../data/run/journal';
import type { Store } from '../data/store/store';
import type { BatchModel } from '../models/batches/batch';
import type { Model, ModelRequest, Sending } from '../models/model';
import type { PromptPack } from '../schemas/run/prompts';
import type { ModelFacts } from '../schemas/model/model-table';
import type { Tier } from '../schemas/model/tier';
import type { Step } from '../schemas/run/step';
import type { Usage } from '../schemas/model/usage';
import type { CallEstimate, Ledger } from '../schemas/run/ledger';
import type { JournalEntry } from '../schemas/run/journal';
import type { PlannedCall } from '../engine/limits/call-guard';
import type { CallGate } from './call-gate';
import type { FlexCapacity } from './flex-capacity';

/** Everything that the activities of one run touch: given to them by the worker that runs them. */
export interface World<Files extends RunFiles = RunFiles> {
  /** What the run was started with. */
  readonly run: Files;
  model(spec: string): Model;
  /** The same model, asked in batches; undefined where its provider takes none. */
  batches(spec: string): BatchModel | undefined;
  /** Takes a call that the journal has no answer to, instead of its being sent; false for one that is to be sent. */
  readonly collect?: (call: CollectedCall) => boolean;
  /** The tier that the model's calls go to. */
  tierOf(spec: string): FlexCapacity;
  readonly gate: CallGate;
  /** Where the calls of the run are recorded. */
  readonly ledger: CallLedger;
  /** Receives events for logs, metrics and traces; must not throw. */
  observe(event: WorldEvent): void;
}

/** A call that is collected for a batch instead of sent. */
export interface CollectedCall extends Omit<PlannedCall, 'run'>, Pick<JournalEntry, 'request' | 'settings'> {
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

/** Records the calls that this process makes for a run, and their outcomes. */
export interface CallLedger {
  /** The expected usage of a call. @param characters of the whole request */
  estimate(call: {
    readonly spec: string;
    readonly step: Step;
    readonly characters: number;
    readonly maxTokens: number;
  }): CallEstimate;
  /** Await it before the call is sent: a process that dies with the call in flight leaves this behind. */
  sent(call: PlannedCall & { readonly tier: Tier }): Promise<SentCall>;
}

export interface SentCall {
  /** Names it in the journal: `ledgerCall` of its entry. */
  readonly id: string;
  /** Calls the model and lets observers see the call. */
  during<T>(request: ModelRequest, ask: () => Promise<T>): Promise<T>;
  answered(entry: JournalEntry, verdict: AnswerVerdict): Promise<void>;
  failed(kind: string): Promise<void>;
}

export type AnswerVerdict = 'good' | 'bad' | 'refused';

export type WorldEvent =
  | {
      readonly type: 'answer';
      readonly step: Step;
      readonly spec: string;
      /** False when the journal had the answer already. */
      readonly paid: boolean;
      readonly good: boolean;
      readonly usage: Usage;
    }
  /** The calls of a batch ended: what its ledger came to. */
  | { readonly type: 'batch'; readonly rows: Ledger }
  /** The provider of a model rejected a parameter, so that it is not sent any more. */
  | {
      readonly type: 'learned';
      readonly spec: string;
      readonly facts: ModelFacts;
      readonly message: string;
    }
  /** Something outside keeps the run waiting; it continues by itself, or once the cause is fixed. */
  | { readonly type: 'waiting'; readonly cause: string; readonly message: string };
