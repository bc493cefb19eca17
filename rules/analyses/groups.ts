import { TASKS, type ScoreRow } from '../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import { buildInstanceKey, INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import { groupBy } from '../group-by';
import type { CellKey } from '../../schemas/evaluation/results/keys';
import { getSetting } from '../scores/cells';

/** Rows that have the values in `name` in common. */
interface RowGroup<Name, Row = ScoreRow> {
  name: Name;
  rows: Row[];
}

/**
 * Groups rows by name. Groups and rows are ordered by the rows' keys, settings first, then models, so results do not depend on the order of the
 * input.
 */
export function groupRows<Name, Row extends ScoreRow>(
  rows: readonly Row[],
  nameOf: (row: Row) => Name,
): RowGroup<Name, Row>[] {
  const namedRows = sortByKey(rows).map((row) => ({ name: nameOf(row), row }));
  return [...groupBy(namedRows, ({ name }) => JSON.stringify(name)).values()].flatMap((group) =>
    group.slice(0, 1).map(({ name }) => ({ name, rows: group.map(({ row }) => row) })),
  );
}

/** Returns all of these rows, then those of each instance type that occurs. */
export function splitByType<Row extends ScoreRow>(
  rows: readonly Row[],
): { instance_type: InstanceType | 'all'; rows: Row[] }[] {
  const types = INSTANCE_TYPES.map((type) => ({
    instance_type: type,
    rows: rows.filter((row) => row.instance_type === type),
  }));
  return [
    { instance_type: 'all' as const, rows: [...rows] },
    ...types.filter((group) => group.rows.length > 0),
  ];
}

export function sortByKey<Row extends ScoreRow>(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, order: buildRowOrder(row) }))
    .toSorted(compareOrder)
    .map(({ row }) => row);
}

/** Returns the cell of a row, its fields in the order that analyses group by: the setting, then the model. */
export function getCellKey(row: CellKey): CellKey {
  return { ...getSetting(row), model: row.model };
}

/** Returns true if two rows or results are of the same cell. */
export function isSameCell(a: CellKey, b: CellKey): boolean {
  return JSON.stringify(getCellKey(a)) === JSON.stringify(getCellKey(b));
}

/** Returns a key that identifies one model's answer on one instance. */
export function buildAnswerKey(row: ScoreRow): string {
  return JSON.stringify([row.model, buildInstanceKey(row)]);
}

/** Compares by UTF-16 units, because these give the same order in every locale. */
function compareOrder(a: { order: string }, b: { order: string }): number {
  if (a.order === b.order) return 0;
  return a.order < b.order ? -1 : 1;
}

/** Returns the sort key of a cell: an evaluator's form before its name, the model last. */
function buildSettingOrder({ task, context, evaluator_form, evaluator, decomposer, model }: CellKey): string {
  // One string, because tens of thousands of rows are compared by it.
  return [
    TASKS.indexOf(task),
    String(HISTORY_FORMS.indexOf(context)).padStart(2, '0'),
    evaluator_form,
    evaluator,
    decomposer ?? '',
    model,
  ].join('\u0000');
}

function buildRowOrder(row: ScoreRow): string {
  const type = INSTANCE_TYPES.indexOf(row.instance_type);
  // Rows of several data sets may share the rest of their keys.
  return [buildSettingOrder(row), row.synthesizer ?? '', row.persona_id, type].join('\u0000');
}
