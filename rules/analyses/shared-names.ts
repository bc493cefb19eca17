import type { CellKey } from '../../schemas/evaluation/results/keys';
import type { SharedName } from '../../schemas/evaluation/results/shared-names';
import type { EvaluationStep } from '../../schemas/run/step';
import { compareKeys } from '../scores/order';
import { OWN_STEPS } from '../trials/outcomes';

/** An answer behind a row of the results. */
export interface RowAnswer {
  readonly step: EvaluationStep;
  /** The model as named in its response. */
  readonly model: string;
}

/** Lists the names of a cell under which several models answered: its model, decomposer and evaluator, in this order. */
export function listSharedNames(
  { model, evaluator, decomposer }: Pick<CellKey, 'model' | 'evaluator' | 'decomposer'>,
  answers: readonly RowAnswer[],
): SharedName[] {
  const roles = [
    { role: 'model', name: model, has: (step: EvaluationStep) => OWN_STEPS.has(step) },
    {
      role: 'decomposer',
      name: decomposer ?? evaluator,
      has: (step: EvaluationStep) => step === 'decompose',
    },
    {
      role: 'evaluator',
      name: evaluator,
      has: (step: EvaluationStep) => !OWN_STEPS.has(step) && step !== 'decompose',
    },
  ] as const;
  return roles.flatMap(({ role, name, has }) => {
    const counts = new Map<string, number>();
    for (const answer of answers)
      if (has(answer.step)) counts.set(answer.model, (counts.get(answer.model) ?? 0) + 1);
    if (counts.size < 2) return [];
    const answered_by = [...counts]
      .map(([answerer, n_answers]) => ({ model: answerer, n_answers }))
      .toSorted((a, b) => b.n_answers - a.n_answers || compareKeys([a.model], [b.model]));
    return [{ role, name, answered_by }];
  });
}
