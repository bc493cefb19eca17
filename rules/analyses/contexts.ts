import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import type { CellKey } from '../scores/cells';
import { groupRows } from './groups';
import { computeNumbers, listShared, type Numbers } from '../scores/numbers';

/** One model in every context, over all instances or those of one type (figure 6, tables 9 and 10). */
interface ContextComparison extends Omit<CellKey, 'context'> {
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
  return models.flatMap(({ name, rows: own }) =>
    (['all', ...INSTANCE_TYPES] as const).flatMap((instance_type) => {
      const ofType = own.filter((row) => instance_type === 'all' || row.instance_type === instance_type);
      return ofType.length === 0 ? [] : [{ ...name, instance_type, contexts: compareRows(ofType) }];
    }),
  );
}

function compareRows(rows: readonly ScoreRow[]): ContextNumbers[] {
  const full = rows.filter(({ context }) => context === 'full');
  return HISTORY_FORMS.flatMap((context) => {
    const own = rows.filter((row) => row.context === context);
    if (own.length === 0) return [];
    const difference_to_full = context === 'full' ? null : computeDifference(own, full);
    return [{ context, ...computeNumbers(own), difference_to_full }];
  });
}

function computeDifference(rows: readonly ScoreRow[], full: readonly ScoreRow[]): Numbers | null {
  const own = computeNumbers(listShared(full, rows));
  const other = computeNumbers(listShared(rows, full));
  if (own.n_instances === 0) return null;
  return {
    n_instances: own.n_instances,
    precision: subtract(own.precision, other.precision),
    recall: subtract(own.recall, other.recall),
    f1: subtract(own.f1, other.f1),
    macro_f1: subtract(own.macro_f1, other.macro_f1),
    average_score: subtract(own.average_score, other.average_score),
    accuracy: subtract(own.accuracy, other.accuracy),
    paired_accuracy: subtract(own.paired_accuracy, other.paired_accuracy),
  };
}

function subtract(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}
