import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ToldUse } from '../rules/model-limits';
import type { WantedSteering } from '../rules/steering';
import type { Ledger } from '../schemas/ledger';
import type { PersonaOutcome } from '../schemas/outcome';
import type { ModelTable } from '../schemas/model-table';
import type { Budget, ModelLimits, Steering, TierSteering } from '../schemas/steering';

/** From a persona to its run, as its last act: how it ended. */
export const personaClosed = defineSignal<[PersonaOutcome]>('personaClosed');

/** From the command to a run: how many personas, or trials, may be open at once. */
export const setWindow = defineSignal<[number]>('setWindow');

/** How far a run is. */
export const progress = defineQuery<RunProgress>('progress');

export interface RunProgress {
  readonly personas: number;
  readonly finished: number;
  readonly failed: number;
  /** The numbers of the personas at work. */
  readonly open: readonly number[];
  /** True once every persona is closed and the data sets are being written. */
  readonly building: boolean;
  /** Why no further persona is started: the set-up is at fault. The run ends when those at work have. */
  readonly misconfigured?: string;
}

/** How far an evaluation is. */
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
  /** Why nothing further is started: the set-up is at fault. The evaluation ends when what is open has. */
  readonly misconfigured?: string;
}

/** From a worker to the control workflow of a run it works for: how it stands; answered with what it is to do. */
export const attend = defineUpdate<Orders, [Attendance]>('attend');

export interface Attendance {
  /** Names the worker's process. */
  readonly worker: string;
  /** The version of the orders it goes by; answered once there are newer ones, or after a while. 0 is answered at once. */
  readonly known: number;
  /** Set when it has the model table, which is sent again only when it changes. */
  readonly informed?: true;
  /** Everything of this run that went through this process so far; absent when that was told a few seconds ago. */
  readonly ledger?: Ledger;
  /** In the budget's unit: what it has spent so far, calls in flight at their estimates; 0 without a budget. */
  readonly spent: number;
  /** The unit that is in; absent while it knows of no budget. */
  readonly unit?: Budget['unit'];
  /** How many calls could use more of the budget than the worker was granted. */
  readonly wants: number;
  /** By step. */
  readonly inFlight: Readonly<Record<string, number>>;
  /** Calls answered in the last minute. */
  readonly perMinute: number;
  /** The calls in flight it was started for. */
  readonly concurrency: number;
  /** Set in its last attendance. */
  readonly leaving?: true;
}

export interface Orders {
  /** Tells the workflow from one that was started anew: versions count from 1 there. */
  readonly instance: string;
  readonly version: number;
  readonly paused?: Pause;
  /** Model calls in flight for this run, at the most, in this process. */
  readonly concurrency: number;
  /** In the budget's unit: what the worker may have spent in all; absent without a budget. */
  readonly granted?: number;
  readonly budget?: Budget;
  readonly modelTable?: ModelTable;
  /** By SPEC. */
  readonly tiers?: TierSteering['tiers'];
  readonly tierFallbackMs?: TierSteering['tierFallbackMs'];
  /** When it is to tell again, in milliseconds. */
  readonly every: number;
}

export type Pause =
  | { readonly by: 'user' }
  /** The budget is used up. */
  | { readonly by: 'budget'; readonly spent: number; readonly cap: number };

/** From a command: what is to be changed. The answer is how things stand then. Refused when it makes no sense. */
export const steer = defineUpdate<ControlState, [WantedSteering]>('steer');

/** From a command to the control workflow: the run has ended. */
export const endControl = defineSignal('endControl');

/** How a run is steered, and what it has spent. */
export const controlState = defineQuery<ControlState>('controlState');

export interface ControlState {
  readonly paused?: Pause;
  readonly steering: Steering;
  /** In the budget's unit; absent without one. */
  readonly spent?: number;
  /** Of all workers, those that are gone included. */
  readonly ledger: Ledger;
  readonly workers: readonly WorkerState[];
}

export interface WorkerState {
  readonly worker: string;
  readonly inFlight: Readonly<Record<string, number>>;
  readonly perMinute: number;
  readonly concurrency: number;
}

/** From a worker to the limits workflow of a model: what became of its calls since it last told; answered like `attend`. */
export const attendModel = defineUpdate<ModelOrders, [ModelAttendance]>('attendModel');

export interface ModelAttendance extends ToldUse {
  readonly known: number;
  readonly leaving?: true;
}

export interface ModelOrders {
  readonly instance: string;
  readonly version: number;
  /** The process's share of the calls in flight; absent while nothing limits them. */
  readonly inFlight?: number;
  /** No call is to be sent for so many milliseconds. */
  readonly hold?: number;
  /** It counts as down: only now and then a call is sent, to see whether it is back. */
  readonly down?: true;
  /** True while calls are paced: one that was kept waiting is given back to its queue. */
  readonly paced: boolean;
  /** When it is to tell again, in milliseconds. */
  readonly every: number;
}

/** How a model is limited just now. */
export const modelState = defineQuery<ModelState>('modelState');

export interface ModelState {
  readonly spec: string;
  readonly limits: ModelLimits;
  /** Calls a second that the server hands out, by run; without those that nothing limits. */
  readonly rates: Readonly<Record<string, number>>;
  /** Since when, and why, the model counts as down. */
  readonly down?: { readonly since: string; readonly cause: string };
  /** Milliseconds it asked to be left alone. */
  readonly hold?: number;
  readonly tokensLastMinute: number;
  readonly requestsLastMinute: number;
}

/** From a run to a model's limits workflow: its limits are others now. */
export const setLimits = defineSignal<[ModelLimits]>('setLimits');
