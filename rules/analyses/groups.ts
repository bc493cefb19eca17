import { TASKS, type ScoreRow } from '../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import { buildInstanceKey, INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { groupBy } from '../group-by';
import { getSetting, type CellKey } from '../scores/cells';

/** Rows that share what `name` says. */
export interface Group<Name, Row = ScoreRow> {
  name: Name;
  rows: Row[];
}

/**
 * Returns the rows by what they are named after. Groups and their rows are ordered by the rows' keys, however they came: settings
 * first, then models, so that nothing computed from them depends on the order given.
 */
export function groupRows<Name, Row extends ScoreRow>(
  rows: readonly Row[],
  nameOf: (row: Row) => Name,
): Group<Name, Row>[] {
  const named = sortByKey(rows).map((row) => ({ name: nameOf(row), row }));
  return [...groupBy(named, ({ name }) => JSON.stringify(name)).values()].flatMap((own) =>
    own.slice(0, 1).map(({ name }) => ({ name, rows: own.map(({ row }) => row) })),
  );
}

export function sortByKey<Row extends ScoreRow>(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, order: buildRowOrder(row) }))
    .toSorted(compareOrder)
    .map(({ row }) => row);
}

/** Returns the cell of a row, its fields in the order in which analyses group them: the setting, then the model. */
export function getCellKey(row: CellKey): CellKey {
  return { ...getSetting(row), model: row.model };
}

/** Distinguishes what each model answered on each instance. */
export function buildAnswerKey(row: ScoreRow): string {
  return JSON.stringify([row.model, buildInstanceKey(row)]);
}

/** Compares by UTF-16 units: the same on every machine, whatever its language. */
export function compareOrder(one: { order: string }, other: { order: string }): number {
  if (one.order === other.order) return 0;
  return one.order < other.order ? -1 : 1;
}

/** Where a cell stands among others: an evaluator's form before its name, and the model last. */
export function buildSettingOrder({
  task,
  context,
  evaluator_form,
  evaluator,
  decomposer,
  model,
}: CellKey): string {
  // One string for all parts: tens of thousands of rows are compared by it.
  return [
    TASKS.indexOf(task),
    HISTORY_FORMS.indexOf(context),
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
