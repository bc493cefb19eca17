import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../schemas/evaluation/context';
import type { OptionalStudyKind } from '../../schemas/evaluation/studies';
import type { Table, TableCell, TableColumn, TableRow } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { omitUndefined } from '../../schemas/omit-undefined';

/** An analysis with a title, an explanation of its numbers, and its tables. */
export interface Section {
  readonly topic: Topic;
  readonly title: string;
  readonly explanation: string;
  readonly tables: readonly Table[];
}

/** The subject of a section, such as a study; a report adds its charts. */
export type Topic =
  | OptionalStudyKind
  | 'choice-errors'
  | 'choices'
  | 'context-differences'
  | 'contexts'
  | 'data-sets'
  | 'depths'
  | 'differences'
  | 'histories'
  | 'judge-comparison'
  | 'lengths'
  | 'matchers'
  | 'memory'
  | 'overlong'
  | 'positions'
  | 'reference'
  | 'synthesizers'
  | 'tasks'
  | 'type-positions';

/** Builds a section of the tables that have rows, or none. */
export function buildSections(
  topic: Topic,
  title: string,
  explanation: string,
  tables: readonly Table[],
): Section[] {
  const shownTables = tables.filter(({ rows }) => rows.length > 0);
  return shownTables.length === 0 ? [] : [{ topic, title, explanation, tables: shownTables }];
}

type EvaluatorKey = Pick<ScoreRow, 'task' | 'evaluator' | 'evaluator_form' | 'decomposer'>;

/** Entries with the same evaluators, and a line that names these. */
export interface EvaluationGroup<Entry> {
  readonly task: ScoreRow['task'];
  readonly line: string;
  readonly entries: readonly Entry[];
}

/** Groups the entries by their evaluators, in order of appearance. */
export function groupByEvaluation<Entry extends EvaluatorKey>(
  entries: readonly Entry[],
): EvaluationGroup<Entry>[] {
  return [...groupBy(entries, formatEvaluation)].map(([line, lineEntries]) => ({
    task: lineEntries[0]?.task ?? 'inference',
    line,
    entries: lineEntries,
  }));
}

/** Formats the task and its evaluators, if it has any, in a line. */
export function formatEvaluation({ task, evaluator, evaluator_form, decomposer }: EvaluatorKey): string {
  if (task === 'choice') return 'Choice';
  return task === 'generation'
    ? `Generation, judged by ${evaluator}`
    : `Inference, ${formatMatchers({ evaluator, evaluator_form, decomposer })}`;
}

/** Formats the matcher and, if it is another model, the decomposer. */
export function formatMatchers({
  evaluator,
  evaluator_form,
  decomposer,
}: Omit<EvaluatorKey, 'task'>): string {
  const matcherText = `matched by ${formatMatcher({ evaluator, evaluator_form })}`;
  return decomposer === null || decomposer === evaluator
    ? matcherText
    : `${matcherText}, decomposed by ${decomposer}`;
}

/** Formats a matcher by its name, and by its form unless that is the usual one. */
export function formatMatcher({
  evaluator,
  evaluator_form,
}: Pick<EvaluatorKey, 'evaluator' | 'evaluator_form'>): string {
  return evaluator_form === 'prefmatcher' ? `${evaluator} (a PrefMatcher)` : evaluator;
}

/** Builds the entries' rows below a row for each context, in the order of `HISTORY_FORMS`. */
export function buildRowsByContext<Entry extends Pick<ScoreRow, 'context'>, Link = never>(
  entries: readonly Entry[],
  rowsOf: (entries: readonly Entry[]) => readonly TableRow<Link>[],
): TableRow<Link>[] {
  return HISTORY_FORMS.flatMap((context) => {
    const contextEntries = entries.filter((entry) => entry.context === context);
    return contextEntries.length === 0
      ? []
      : [{ name: `context ${context}`, cells: [] }, ...indentRows(rowsOf(contextEntries))];
  });
}

/** Indents rows below one that heads them. */
export function indentRows<Link>(rows: readonly TableRow<Link>[]): TableRow<Link>[] {
  return rows.map((row) => ({ ...row, depth: (row.depth ?? 0) + 1 }));
}

/** A column with its cell in the row of an entry. */
export interface EntryColumn<Entry> extends TableColumn {
  readonly cell: (entry: Entry) => TableCell;
}

/** Builds the cells of an entry's row. */
export function buildCells<Entry>(columns: readonly EntryColumn<Entry>[], entry: Entry): TableCell[] {
  return columns.map(({ cell }) => cell(entry));
}

/** Builds a table with a row for each model, by context. */
export function buildModelTable<Entry extends Pick<ScoreRow, 'context' | 'model'>>(
  [title, ...lines]: readonly string[],
  entries: readonly Entry[],
  columns: readonly EntryColumn<Entry>[],
): Table {
  const rows = buildRowsByContext(entries, (contextEntries) =>
    contextEntries.map((entry) => ({ name: entry.model, cells: buildCells(columns, entry) })),
  );
  return { ...omitUndefined({ title }), lines, columns: omitCells(columns), rows };
}

/** Returns the columns as data. */
export function omitCells(columns: readonly EntryColumn<never>[]): TableColumn[] {
  return columns.map(({ title, group, explanation }) => omitUndefined({ title, group, explanation }));
}

/** Leaves out the numbers of instances beside the values of a table if they are the same beside all. */
export function omitEqualCounts<Link>(table: Table<Link>): Table<Link> {
  const counts = new Set(
    table.rows.flatMap(({ cells }) =>
      cells.flatMap((cell) => (typeof cell === 'string' ? [] : (cell.n ?? []))),
    ),
  );
  if (counts.size > 1) return table;
  const omitCount = (cell: TableCell<Link>): TableCell<Link> => {
    if (typeof cell === 'string') return cell;
    const { n: _, ...quantity } = cell;
    return quantity;
  };
  return { ...table, rows: table.rows.map((row) => ({ ...row, cells: row.cells.map(omitCount) })) };
}
