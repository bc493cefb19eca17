import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import type { InstanceType } from '../../schemas/dataset/instance-type';
import { mapValues } from '../../schemas/map-values';
import type { CellKey } from '../scores/cells';
import { groupRows, splitByType } from './groups';
import { computeNumbers, listShared, type Numbers } from '../scores/numbers';

/** One model in every context, over all instances or those of one type (figure 6, tables 9 and 10). */
export interface ContextComparison extends Omit<CellKey, 'context'> {
  instance_type: InstanceType | 'all';
  /** In the order of GIVENS; contexts without rows are left out. */
  contexts: ContextNumbers[];
}

interface ContextNumbers extends Numbers {
  context: ScoreRow['context'];
  /**
   * Difference to the full history, over the instances that count in both contexts. If results are missing, this differs from subtracting the two
   * contexts' numbers. Null for the full history itself, and if no instance counts in both.
   */
  difference_to_full: Numbers | null;
}

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
