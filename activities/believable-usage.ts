import { findUsageProblem } from '../engine/costs/usage-problem';
import type { Usage } from '../schemas/model/usage';
import type { CallEstimate } from '../schemas/run/ledger';
import type { World } from './world';

/** Removes an impossible usage from an answer or a failure, so that the call counts as its estimate. The run reports that once for each model. */
export function withBelievableUsage<Answer extends { readonly usage: Usage | undefined }>(
  { emit }: Pick<World, 'emit'>,
  spec: string,
  answer: Answer,
  estimate: CallEstimate,
): Answer {
  const problem = answer.usage && findUsageProblem(answer.usage, estimate);
  if (problem === undefined) return answer;
  const message = `${spec} reported a usage that cannot be true (${problem}). Such calls are counted at their estimates, so the budget still holds.`;
  emit({ type: 'noticed', about: `usage of ${spec}`, message });
  return { ...answer, usage: {} };
}
