import type { EvaluationScriptPlan } from '../../rules/method/evaluation-calls';
import { conductStudy } from '../../rules/method/study';
import type { RetriedCalls } from '../../rules/method/evaluation-work';
import type { StudyWork } from '../../schemas/evaluation/studies';
import { carryOutWork, type PieceResult } from './carry-out-work';

interface StudyInput extends EvaluationScriptPlan {
  readonly work: StudyWork & RetriedCalls;
}

/** Carries out one piece of a study (`rules/method/study.ts`). */
export async function study({ work, ...plan }: StudyInput): Promise<PieceResult> {
  return carryOutWork(plan, { script: 'study', work }, conductStudy(plan, work));
}
