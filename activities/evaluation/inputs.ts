import type { AnswerRef, TrialKey } from '../../engine/journal/key';
import type { OpenEvaluation } from '../../data/run/evaluation-plan';
import type { EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import type { RunFiles, World } from '../world';

/** Where the call of a step's activity belongs. */
export interface Place extends TrialKey {
  readonly run: string;
  /** The workflow that asks. */
  readonly workflowId: string;
  readonly generation: number;
  readonly ask: number;
}

/** A trial whose history, where it is given as summaries, is summarized. */
export interface HistoryRefs {
  /** Present when the trial is given its own summaries. */
  readonly summary?: AnswerRef;
  /** Whether the trial both infers and responds, so that two requests show the same history. */
  readonly bothTasks: boolean;
}

/** A preference that was inferred, by reference. */
export interface InferenceRefs {
  readonly inference: AnswerRef;
}

/** An inferred preference taken apart, by who did it and by reference. */
export interface DecompositionRefs extends InferenceRefs {
  readonly decomposer: number;
  readonly decomposition: AnswerRef;
}

export interface EvaluationFiles extends RunFiles, OpenEvaluation {
  readonly settings: EvaluationSettings;
}

export type EvaluationWorld = World<EvaluationFiles>;
