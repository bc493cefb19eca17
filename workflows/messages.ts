import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { CircuitReport } from '../engine/limits/circuit';
import type { Amounts, LeaseReport } from '../engine/limits/leases';
import type { SteeringRequest } from '../engine/limits/steering';
import type { FailedCall, PersonaOutcome } from '../schemas/run/outcome';
import type { Budget, ModelLimits, SpentAmounts, Steering } from '../schemas/run/steering';

/** From a persona to its run, as its last act: how it ended. */
export const personaClosed = defineSignal<[PersonaOutcome]>('personaClosed');

/** From a persona to its run: half of its dialogues have ended, so there is room for other work. */
export const personaEasing = defineSignal<[number]>('personaEasing');

/** From the command to a run: how many personas, or trials, may be open at once. */
export const setWindow = defineSignal<[number]>('setWindow');

/** To what carries a run out: to continue as new on this task queue, once nothing is in flight that another version would do again. */
export const moveTo = defineSignal<[string]>('moveTo');

/** To a run: workers have gone, and may have left personas behind. */
export const workersGone = defineSignal('workersGone');

/** How far a run is. */
export const progress = defineQuery<RunProgress>('progress');

export interface RunProgress {
  readonly personas: number;
  readonly finished: number;
  readonly failed: number;
  /** The numbers of the open personas. */
  readonly open: readonly number[];
  /** True once every persona is closed and the data sets are being written. */
  readonly building: boolean;
  /** Why no further persona is started: the configuration is invalid. The run ends when the open ones have. */
  readonly misconfigured?: FailedCall;
}

export const evaluationProgress = defineQuery<EvaluationProgress>('evaluationProgress');

export interface EvaluationProgress {
  readonly phase: 'trials' | 'studies';
  /** Pieces of work in all, those done by earlier commands too; absent until they are counted. */
  readonly total?: number;
  /** Done by this workflow, and before it. */
  readonly done: number;
  readonly passed: number;
  readonly missing: number;
  readonly open: number;
  /** Why nothing further is started: the configuration is invalid. The evaluation ends when what is open has. */
  readonly misconfigured?: FailedCall;
}

export const batchProgress = defineQuery<BatchProgress>('batchProgress');

/** The batches of one round. */
export interface BatchProgress {
  /** True while the calls of the next round are looked for. */
  readonly collecting: boolean;
  readonly batches: number;
  readonly ended: number;
  readonly requests: number;
  /** Of the requests, as far as providers say. */
  readonly answered: number;
}

/** From the batches of a run to its control: their calls were entered into the ledger. */
export const ledgersChanged = defineSignal('ledgersChanged');

/** From a worker to a control workflow, every ten seconds or so: what it uses. The answer renews its lease. */
export const report = defineUpdate<Directives, [WorkerReport]>('report');

/** It says what is, not what was added, so that a report that arrives twice, or whose answer is lost, counts once. */
export interface WorkerReport extends LeaseReport, CircuitReport {
  readonly codeVersion: string;
  /** The version of the directives that it follows; 0 for none. */
  readonly known: number;
  /** Milliseconds that the provider still asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The daily quota that it waits for. */
  readonly quota?: string | undefined;
  /** Reported to the control of a run. */
  readonly usage?: RunUsage | undefined;
  /** Set in its last report. */
  readonly leaving?: true;
}

interface RunUsage {
  /** What it spent, calls in flight at their estimates. */
  readonly spent: SpentAmounts;
  /** The unit in which its budget is leased; absent while it knows of none. */
  readonly unit?: Budget['unit'] | undefined;
  /** True when calls wait for more of the budget than it was granted. */
  readonly wantsBudget: boolean;
  /** Calls answered in the last minute. */
  readonly perMinute: number;
  /** The calls in flight it was started for. */
  readonly concurrency: number;
}

/** What a worker is to do until its next report; the model table only where it changed. */
export interface Directives extends Pick<Steering, 'budget' | 'modelTable' | 'tiers' | 'tierFallbackMs'> {
  /** Grows with every change. */
  readonly version: number;
  /** What it may use; what is absent is not limited. */
  readonly granted: Amounts;
  readonly reportIntervalMs: number;
  /** How often it asks, by `newsVersion`, whether there are newer ones: that leaves nothing in the workflow's history. */
  readonly queryIntervalMs: number;
  readonly paused?: Pause | undefined;
  /** No call may be sent to the model for this many milliseconds. */
  readonly backoffMs?: number | undefined;
  /** No call is to be sent to the model, or, by one worker, one every few seconds. */
  readonly circuit?: 'open' | 'probe' | undefined;
}

/** The version of the newest directives: a worker that follows another one reports at once. */
export const newsVersion = defineQuery<number>('newsVersion');

export type Pause =
  | { readonly by: 'user' }
  /** The budget is used up. */
  | { readonly by: 'budget'; readonly spent: number; readonly cap: number };

/** From a command to the control of a run: what is to be changed. Refused when it makes no sense. */
export const steer = defineUpdate<ControlState, [SteeringRequest]>('steer');

/** The same while no worker is running the run: it takes effect once one starts. The command has validated the change and stores it. */
export const steerLater = defineSignal<[SteeringRequest]>('steerLater');

/** From a command to the control of a run: the run has ended. */
export const endControl = defineSignal('endControl');

/** How a run is steered. */
export const controlState = defineQuery<ControlState>('controlState');

export interface ControlState {
  readonly paused?: Pause | undefined;
  readonly steering: Steering;
  /** By all workers, those that are gone included, calls in flight at their estimates. */
  readonly spent: SpentAmounts;
  readonly workers: readonly WorkerState[];
  /** True once all living workers have reported: it began longer ago than a lease lasts. */
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

/** How a model is limited just now. */
export const modelState = defineQuery<ModelState>('modelState');

export interface ModelState {
  readonly spec: string;
  readonly limits: ModelLimits;
  /** Since when, and why, the model counts as unavailable. */
  readonly unavailable?: { readonly since: string; readonly cause: string } | undefined;
  /** Milliseconds that the provider asked to wait. */
  readonly backoffMs?: number | undefined;
  /** The daily quota that is used up. */
  readonly quota?: string | undefined;
  readonly tokensLastMinute: number;
  readonly requestsLastMinute: number;
}

/** From the control of a run to that of a model: its limits have changed. */
export const setLimits = defineSignal<[ModelLimits]>('setLimits');
