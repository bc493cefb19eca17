import type { ScoreRow } from '../../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../../schemas/evaluation/context';
import type { OptionalStudyKind } from '../../../schemas/evaluation/studies';
import type { TableColumn, TableRow } from '../../../schemas/text/table';
import { groupBy } from '../../../rules/group-by';

/** A table with lines above and below that explain its numbers. */
export interface ReportTable {
  readonly above: readonly string[];
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  readonly below?: readonly string[];
}

/** An analysis with a title, an explanation of its numbers, and its tables. */
export interface Section {
  readonly topic: Topic;
  readonly title: string;
  readonly explanation: string;
  readonly tables: readonly ReportTable[];
}

/** The subject of a section, such as a study; a report adds its charts. */
export type Topic =
  | OptionalStudyKind
  | 'choice-errors'
  | 'choices'
  | 'context-differences'
  | 'contexts'
  | 'data-sets'
  | 'differences'
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
  tables: readonly ReportTable[],
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

/** Builds the entries' rows below a line for each context, in the order of `HISTORY_FORMS`. */
export function buildRowsByContext<Entry extends Pick<ScoreRow, 'context'>>(
  entries: readonly Entry[],
  rowsOf: (entries: readonly Entry[]) => TableRow[],
): TableRow[] {
  return HISTORY_FORMS.flatMap((context) => {
    const contextEntries = entries.filter((entry) => entry.context === context);
    return contextEntries.length === 0 ? [] : [`context ${context}`, ...rowsOf(contextEntries)];
  });
}

/** A column with the text of its cell in the row of an entry. */
export interface CellColumn<Entry> extends TableColumn {
  readonly text: (entry: Entry) => string;
}

/** Builds the cells of an entry's row. */
export function buildCells<Entry>(columns: readonly CellColumn<Entry>[], entry: Entry): string[] {
  return columns.map(({ text }) => text(entry));
}

/** Builds a table with a row for each model, by context. */
export function buildModelTable<Entry extends Pick<ScoreRow, 'context' | 'model'>>(
  heading: readonly string[],
  entries: readonly Entry[],
  columns: readonly CellColumn<Entry>[],
): ReportTable {
  const rows = buildRowsByContext(entries, (contextEntries) =>
    contextEntries.map((entry) => [indentName(entry.model), ...buildCells(columns, entry)]),
  );
  return { above: heading, columns: [{ title: '' }, ...columns], rows };
}

/** Indents a name below the line that it belongs to. */
export function indentName(name: string): string {
  return `  ${name}`;
}
