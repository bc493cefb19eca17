import { writeEvaluationPlan } from '../../data/run/evaluation-plan';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import type { EvaluationRequest } from './evaluation-request';
import type { EvaluationFolder } from './write';

/** An evaluation whose plan is stored, with all that its command changes before the first call. */
interface StoredPlan {
  readonly inputs: EvaluationInputs;
  /** Whether finished work was reopened. */
  readonly isReopened: boolean;
}

/** Stores what a command changes in a folder before its first call: new instances, the plan, and the work that it reopens. */
export async function storePlan(
  { plan, keepInstances, reopen }: Pick<EvaluationRequest, 'plan' | 'keepInstances' | 'reopen'>,
  folder: EvaluationFolder,
): Promise<StoredPlan> {
  const instances = await keepInstances?.(folder.store);
  const { data } = plan.inputs;
  const inputs = instances === undefined ? plan.inputs : { ...plan.inputs, data: { ...data, instances } };
  await writeEvaluationPlan(folder.store, { ...plan, inputs });
  return { inputs, isReopened: (await reopen?.(folder)) ?? false };
}
