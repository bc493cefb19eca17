import { buildTrialId } from '../../engine/journal/key';
import type { StudyWork } from '../../schemas/evaluation/studies';
import type { EvaluationScriptPlan, WorkResult } from './evaluation-calls';
import type { EvaluationCall } from './evaluation-rules';
import { buildStudyId, type RetriedCalls, type TrialWork } from './evaluation-work';
import type { Script } from './script';
import { conductStudy } from './study';
import { evaluateTrial } from './trial';

/** A piece of an evaluation's work: a trial, or a piece of a study. */
export type EvaluationScript =
  | { readonly script: 'trial'; readonly work: TrialWork }
  | { readonly script: 'study'; readonly work: StudyWork & RetriedCalls };

/** Returns the generator of a script, and the id in the journal of the work whose calls it makes. */
export function openScript(
  { script, work }: EvaluationScript,
  plan: EvaluationScriptPlan,
): { readonly workflowId: string; readonly follow: Script<WorkResult, EvaluationCall> } {
  return script === 'trial'
    ? { workflowId: buildTrialId(plan.run, work), follow: evaluateTrial(plan, work) }
    : { workflowId: buildStudyId(plan.run, work), follow: conductStudy(plan, work) };
}
