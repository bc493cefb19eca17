import type { EvaluationScriptPlan } from '../../rules/method/evaluation-calls';
import { evaluateTrial } from '../../rules/method/trial';
import type { TrialWork } from '../../rules/method/evaluation-work';
import { carryOutWork, type PieceResult } from './carry-out-work';

interface TrialInput extends EvaluationScriptPlan {
  readonly work: TrialWork;
}

/** Carries out the trial of one model on one instance (`rules/method/trial.ts`). */
export async function trial({ work, ...plan }: TrialInput): Promise<PieceResult> {
  return carryOutWork(plan, { script: 'trial', work }, evaluateTrial(plan, work));
}
