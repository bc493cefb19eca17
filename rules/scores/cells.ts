import { type ScoreRow, TASKS } from '../../schemas/evaluation/evaluation';
import type { CellKey, Setting } from '../../schemas/evaluation/results/keys';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import { groupBy } from '../group-by';
import { compareKeys } from './order';

export interface CellRows {
  cell: CellKey;
  rows: ScoreRow[];
}

/** Returns the rows by cell, in order of task, model, context, evaluator, its form, decomposer. */
export function groupByCell(rows: readonly ScoreRow[]): CellRows[] {
  return [...groupBy(rows, (row) => JSON.stringify(buildModelOrder(row))).values()]
    .flatMap((cellRows) =>
      cellRows.slice(0, 1).map((first): CellRows => ({ cell: pickCell(first), rows: cellRows })),
    )
    .toSorted((a, b) => compareKeys(buildModelOrder(a.cell), buildModelOrder(b.cell)));
}

/** Returns the cell of a row, its fields in the order of the results. */
function pickCell({ model, ...row }: ScoreRow): CellKey {
  const { task, ...setting } = getSetting(row);
  return { task, model, ...setting };
}

export function getSetting({ task, context, evaluator, evaluator_form, decomposer }: Setting): Setting {
  return { task, context, evaluator, evaluator_form, decomposer };
}

/** Returns the sort key of a cell: the task, the model, then the rest. */
function buildModelOrder(cell: CellKey): (string | number | null)[] {
  const { task, model, context, evaluator, evaluator_form, decomposer } = cell;
  return [TASKS.indexOf(task), model, HISTORY_FORMS.indexOf(context), evaluator, evaluator_form, decomposer];
}
