import { findUsageProblem } from '../engine/costs/usage-problem';
import type { ModelAnswer } from '../models/model';
import type { CallEstimate } from '../schemas/run/ledger';
import type { World } from './world';

/** An answer without a usage that cannot be true: the call then counts as its estimate. The user is told once for each model of a run. */
export function withBelievableUsage<Answer extends Pick<ModelAnswer, 'usage'>>(
  { run, emit }: Pick<World, 'run' | 'emit'>,
  spec: string,
  answer: Answer,
  estimate: CallEstimate,
): Answer {
  const problem = findUsageProblem(answer.usage, estimate);
  if (problem === undefined) return answer;
  const place = `${run.id} ${spec}`;
  if (!noticed.has(place)) {
    noticed.add(place);
    const message = `${spec} reported a usage that cannot be true (${problem}). Such calls are counted at their estimates, so the budget still holds.`;
    emit({ type: 'noticed', message });
  }
  return { ...answer, usage: {} };
}

/** The models of runs whose usage this process has reported to the user. */
const noticed = new Set<string>();
