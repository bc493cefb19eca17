import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { CircuitReport } from '../engine/limits/circuit';
import type { Amounts, LeaseReport } from '../engine/limits/leases';
import type { SteeringRequest } from '../engine/limits/steering';
import type { FailedCall, PersonaOutcome } from '../schemas/run/outcome';
import type { ModelLimits, SpentAmounts, Steering } from '../schemas/run/steering';
import type { AmountUnit } from '../schemas/text/amount-text';

/** From a persona to its run: how it ended. This is its last message. */
export const personaClosed = defineSignal<[PersonaOutcome]>('personaClosed');

/** From a persona to its run: half of its dialogues have ended, so other work can begin. */
export const personaEasing = defineSignal<[number]>('personaEasing');

/** From the command to a run: how many personas, or trials, may be open at once. */
export const setWindow = defineSignal<[number]>('setWindow');

/** Asks a run to continue as new on this queue once no call in flight would be repeated. */
export const moveTo = defineSignal<[string]>('moveTo');

/** Reports to a run that workers have expired and may have left personas open. */
export const workersGone = defineSignal('workersGone');

/** Progress of a run. */
export const progress = defineQuery<RunProgress>('progress');

export interface RunProgress {
  readonly personas: number;
  readonly finished: number;
  readonly failed: number;
  /** The numbers of the open personas. */
  readonly open: readonly number[];
  /** True once every persona is closed and the data sets are being written. */
  readonly building: boolean;
  /** Why no further persona is started: the configuration is invalid. The run ends after the open ones. */
  readonly misconfiguration?: FailedCall;
}

export const evaluationProgress = defineQuery<EvaluationProgress>('evaluationProgress');

export interface EvaluationProgress {
  readonly phase: 'trials' | 'studies';
  /** All pieces of work, including those done by earlier commands; absent until they are counted. */
  readonly total?: number;
  /** Pieces done by this workflow, and before it. */
  readonly done: number;
  readonly skipped: number;
  readonly missing: number;
  readonly open: number;
  /** Why nothing further is started: the configuration is invalid. The evaluation ends after the open work. */
  readonly misconfiguration?: FailedCall;
}

export const batchProgress = defineQuery<BatchProgress>('batchProgress');

/** The batches of one round. */
export interface BatchProgress {
  /** True while the calls of the next round are collected. */
  readonly collecting: boolean;
  readonly batches: number;
  readonly ended: number;
  readonly requests: number;
  /** Answered requests, as far as the providers report them. */
  readonly answered: number;
}

/** From a run's batches to its control: the ledger has changed. */
export const ledgersChanged = defineSignal('ledgersChanged');

/** From a worker to a control workflow, about every ten seconds: its usage. The answer renews its lease. */
export const report = defineUpdate<Directives, [WorkerReport]>('report');

/** Reports totals, not increments, so a report that arrives twice, or whose answer is lost, counts once. */
export interface WorkerReport extends LeaseReport, CircuitReport {
  readonly codeVersion: string;
  /** Version of the directives that it follows; 0 for none. */
  readonly directivesVersion: number;
  /** Milliseconds for which the provider still asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The daily quota that caused this wait. */
  readonly quota?: string | undefined;
  /** Calls in flight at which this worker holds the model, because its provider rejects more; absent if it does not. */
  readonly adaptiveLimit?: number | undefined;
  /** Present in reports to the control of a run. */
  readonly usage?: ReportedUsage | undefined;
  /** Present in its last report. */
  readonly isLast?: true;
}

interface ReportedUsage {
  /** Amounts spent, with calls in flight at their estimates. */
  readonly spent: SpentAmounts;
  /** Unit of its leased budget; absent if it knows of none. */
  readonly unit?: AmountUnit | undefined;
  /** True if calls wait for a larger part of the budget. */
  readonly wantsBudget: boolean;
  /** Calls answered per minute, without pauses; 0 while that is not known yet. */
  readonly perMinute: number;
  /** The limit on calls in flight that it was started with. */
  readonly concurrency: number;
}

/** Directives for a worker until its next report; the model table only if it changed. */
export interface Directives extends Pick<Steering, 'budget' | 'modelTable' | 'tiers' | 'tierFallbackMs'> {
  /** Grows with every change. */
  readonly version: number;
  /** Granted amounts; missing ones are not limited. */
  readonly grants: Amounts;
  readonly reportIntervalMs: number;
  /** Time between two queries of `newsVersion` for newer directives. Queries leave nothing in the workflow's history. */
  readonly queryIntervalMs: number;
  readonly pause?: Pause | undefined;
  /** Milliseconds for which no call may be sent to the model. */
  readonly backoffMs?: number | undefined;
  /** Calls in flight that a worker begins with, because earlier ones found that the provider rejects more. */
  readonly adaptiveLimit?: number | undefined;
  /** `open`: no call may be sent to the model; `probe`: this worker sends one every few seconds. */
  readonly circuit?: 'open' | 'probe' | undefined;
}

/** Version of the newest directives; a worker with an older version reports at once. */
export const newsVersion = defineQuery<number>('newsVersion');

export type Pause =
  | { readonly by: 'user' }
  /** The budget is used up. */
  | { readonly by: 'budget'; readonly spent: number; readonly cap: number };

/** From a command to the control of a run: changes its steering. Rejected if the change makes no sense. */
export const steer = defineUpdate<ControlState, [SteeringRequest]>('steer');

/** Same change while no worker is running: it takes effect once one starts. The command has validated the change and stores it. */
export const steerLater = defineSignal<[SteeringRequest]>('steerLater');

/** From a command to the control of a run: the run has ended. */
export const endControl = defineSignal('endControl');

/** Steering and spending of a run. */
export const controlState = defineQuery<ControlState>('controlState');

export interface ControlState {
  readonly pause?: Pause | undefined;
  readonly steering: Steering;
  /** Spent by all workers, departed ones included, with calls in flight at their estimates. */
  readonly spent: SpentAmounts;
  readonly workers: readonly WorkerState[];
  /** True once all living workers have reported, because this began longer ago than a lease lasts. */
  readonly knowsAll: boolean;
}

export interface WorkerState {
  readonly worker: string;
  readonly codeVersion: string;
  /** Calls. */
  readonly inFlight: number;
  readonly perMinute: number;
  readonly concurrency: number;
}

/** Current limits and state of a model. */
export const modelState = defineQuery<ModelState>('modelState');

export interface ModelState {
  readonly spec: string;
  readonly limits: ModelLimits;
  /** Since when, and why, the model counts as unavailable. */
  readonly outage?: { readonly since: string; readonly cause: string } | undefined;
  /** Milliseconds for which the provider asked to wait. */
  readonly backoffMs?: number | undefined;
  /** The daily quota that is used up. */
  readonly quota?: string | undefined;
  /** Calls in flight, of all workers, above which the provider answers 429; absent if it was not reached. */
  readonly adaptiveLimit?: number | undefined;
  readonly tokensLastMinute: number;
  readonly requestsLastMinute: number;
}

/** From the control of a run to that of a model: its limits have changed. */
export const setLimits = defineSignal<[ModelLimits]>('setLimits');
