import { GIVENS, type ScoreRow, TASKS } from '../../schemas/evaluation';
import { compareKeys } from './order';

/** What tells the cells of the results apart, as it stands in their rows. */
export type CellKey = Setting & Pick<ScoreRow, 'model'>;

/** Everything of a cell but the model under test: models are compared within one. */
export type Setting = Pick<ScoreRow, 'task' | 'context' | 'evaluator' | 'evaluator_form' | 'decomposer'>;

/** A cell and its rows. */
export interface CellRows {
  cell: CellKey;
  rows: ScoreRow[];
}

/** The rows by cell, in order of task, model, context, evaluator, its form, decomposer. */
export function cellsOf(rows: readonly ScoreRow[]): CellRows[] {
  const cells = new Map<string, CellRows>();
  for (const row of rows) {
    const { task, ...rest } = settingOf(row);
    const cell: CellKey = { task, model: row.model, ...rest };
    const key = JSON.stringify(cellOrder(cell));
    const known = cells.get(key);
    if (known === undefined) cells.set(key, { cell, rows: [row] });
    else known.rows.push(row);
  }
  return [...cells.values()].toSorted((one, other) =>
    compareKeys(cellOrder(one.cell), cellOrder(other.cell)),
  );
}

/** The setting of a cell or of a row. */
export function settingOf({ task, context, evaluator, evaluator_form, decomposer }: Setting): Setting {
  return { task, context, evaluator, evaluator_form, decomposer };
}

function cellOrder(cell: CellKey): (string | number | null)[] {
  const { task, model, context, evaluator, evaluator_form, decomposer } = cell;
  return [TASKS.indexOf(task), model, GIVENS.indexOf(context), evaluator, evaluator_form, decomposer];
}
