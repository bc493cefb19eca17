import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import type { ContextComparison, ContextNumbers } from '../../schemas/evaluation/results/analyses';
import type { Numbers } from '../../schemas/evaluation/results/figures';
import { mapValues } from '../../schemas/map-values';
import { groupRows, splitByType } from './groups';
import { computeNumbers, listShared } from '../scores/numbers';

export function compareContexts(rows: readonly ScoreRow[]): ContextComparison[] {
  const models = groupRows(rows, ({ task, evaluator, evaluator_form, decomposer, model }) => {
    return { task, evaluator, evaluator_form, decomposer, model };
  });
  return models.flatMap(({ name, rows: modelRows }) =>
    splitByType(modelRows).map(({ instance_type, rows: ofType }) => ({
      ...name,
      instance_type,
      contexts: compareRows(ofType),
    })),
  );
}

function compareRows(rows: readonly ScoreRow[]): ContextNumbers[] {
  const full = rows.filter(({ context }) => context === 'full');
  return HISTORY_FORMS.flatMap((context) => {
    const contextRows = rows.filter((row) => row.context === context);
    if (contextRows.length === 0) return [];
    const difference_to_full = context === 'full' ? null : subtractFull(contextRows, full);
    return [{ context, ...computeNumbers(contextRows), difference_to_full }];
  });
}

function subtractFull(rows: readonly ScoreRow[], full: readonly ScoreRow[]): Numbers | null {
  const { n_instances, ...averages } = computeNumbers(listShared(full, rows));
  const fullNumbers = computeNumbers(listShared(rows, full));
  if (n_instances === 0) return null;
  const values = mapValues(averages, (value, name) => {
    const ofFull = fullNumbers[name];
    return value === null || ofFull === null ? null : value - ofFull;
  });
  return { n_instances, ...values };
}
