import type { ReadableEvaluation } from '../../data/run/evaluation-plan';
import type { EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import type { RunFiles, World } from '../world';

export interface EvaluationFiles extends RunFiles, ReadableEvaluation {
  readonly settings: EvaluationSettings;
}

export type EvaluationWorld = World<EvaluationFiles>;
