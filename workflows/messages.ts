import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { PersonaOutcome } from '../schemas/outcome';

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
