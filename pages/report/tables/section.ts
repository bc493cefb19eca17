import type { ScoreRow } from '../../../schemas/evaluation/evaluation';
import { HISTORY_FORMS } from '../../../schemas/evaluation/context';
import type { TableColumn, TableRow } from '../../../schemas/text/table';
import { groupBy } from '../../../rules/group-by';

/** A table, and the lines around it that say what its numbers are. */
export interface ReportTable {
  readonly above: readonly string[];
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  readonly below?: readonly string[];
}

/** An analysis: its title, what its numbers are, and its tables. */
export interface Section {
  readonly topic: Topic;
  readonly title: string;
  readonly explanation: string;
  readonly tables: readonly ReportTable[];
}

/** The subject of a section; a report adds its charts. */
export type Topic =
  | 'contexts'
  | 'differences'
  | 'errors'
  | 'judge-comparison'
  | 'judges'
  | 'labels'
  | 'lengths'
  | 'matchers'
  | 'overlong'
  | 'positions'
  | 'reference'
  | 'synthesizers'
  | 'tasks'
  | 'type-positions';

/** A section; none without tables. */
export function buildSections(
  topic: Topic,
  title: string,
  explanation: string,
  tables: readonly ReportTable[],
): Section[] {
  return tables.length === 0 ? [] : [{ topic, title, explanation, tables }];
}

type Evaluation = Pick<ScoreRow, 'task' | 'evaluator' | 'evaluator_form' | 'decomposer'>;

/** Entries that one evaluator has the numbers of, and a line that names it. */
export interface EvaluationGroup<Entry> {
  readonly task: ScoreRow['task'];
  readonly line: string;
  readonly entries: readonly Entry[];
}

/** The entries by who evaluated them, in the order they come. */
export function groupByEvaluation<Entry extends Evaluation>(
  entries: readonly Entry[],
): EvaluationGroup<Entry>[] {
  return [...groupBy(entries, formatEvaluation)].map(([line, own]) => ({
    task: own[0]?.task ?? 'inference',
    line,
    entries: own,
  }));
}

/** Who evaluated what, in a line. */
export function formatEvaluation({ task, evaluator, evaluator_form, decomposer }: Evaluation): string {
  return task === 'generation'
    ? `Generation, judged by ${evaluator}`
    : `Inference, ${formatMatchers({ evaluator, evaluator_form, decomposer })}`;
}

/** Who matched and, where it is another, who decomposed. */
export function formatMatchers({ evaluator, evaluator_form, decomposer }: Omit<Evaluation, 'task'>): string {
  const matched = `matched by ${formatMatcher({ evaluator, evaluator_form })}`;
  return decomposer === null || decomposer === evaluator
    ? matched
    : `${matched}, decomposed by ${decomposer}`;
}

/** A matcher by its name, and by its form where that is not the usual one. */
export function formatMatcher({
  evaluator,
  evaluator_form,
}: Pick<Evaluation, 'evaluator' | 'evaluator_form'>): string {
  return evaluator_form === 'prefmatcher' ? `${evaluator} (a PrefMatcher)` : evaluator;
}

/** The entries' rows, beneath a line for each context, in the order of GIVENS. */
export function buildRowsByContext<Entry extends Pick<ScoreRow, 'context'>>(
  entries: readonly Entry[],
  rowsOf: (entries: readonly Entry[]) => TableRow[],
): TableRow[] {
  return HISTORY_FORMS.flatMap((context) => {
    const own = entries.filter((entry) => entry.context === context);
    return own.length === 0 ? [] : [`context ${context}`, ...rowsOf(own)];
  });
}

/** A name that stands beneath a line that it belongs to. */
export function indentName(name: string): string {
  return `  ${name}`;
}
