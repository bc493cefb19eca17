import type { OpenEvaluation } from '../../data/run/evaluation-plan';
import type { EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import type { RunFiles, World } from '../world';

export interface EvaluationFiles extends RunFiles, OpenEvaluation {
  readonly settings: EvaluationSettings;
}

export type EvaluationWorld = World<EvaluationFiles>;
