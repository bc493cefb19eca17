import type { EvaluationResults } from '../../../runs/evaluate/results';
import { groupBy } from '../../../rules/group-by';
import type { HistoryForm } from '../../../schemas/evaluation/context';
import { MEASURES } from '../../../schemas/evaluation/measure';
import { formatEvaluation } from '../tables/section';

type Analyses = EvaluationResults['analyses'];

/** Points from which a line shows a course, and a scatter a relation. */
const LEAST_POINTS = 3;

/** Returns whether the model, or its memory, reads all prior sessions. Only then can their order and length affect its results. */
function readsAllSessions(context: HistoryForm): boolean {
  return context === 'full' || context === 'memory' || context === 'summary';
}

/** Selects the settings of figure 3 in which positions can have an effect, and are several. */
export function selectPositions(settings: Analyses['by_position']['settings']) {
  return settings.filter(({ context, points }) => readsAllSessions(context) && points.length >= LEAST_POINTS);
}

/** Selects the cells of figure 9 in which the length of the history can have an effect, and is in several bins. */
export function selectLengths(cells: Analyses['by_length']['cells']) {
  return cells.filter(({ context, bins }) => readsAllSessions(context) && bins.length >= LEAST_POINTS);
}

/** Selects the comparisons of figure 5 with enough models for a relation. */
export function selectTasks<Comparison extends { readonly points: readonly unknown[] }>(
  comparisons: readonly Comparison[],
) {
  return comparisons.filter(({ points }) => points.length >= LEAST_POINTS);
}

/** Selects the differences of evaluations that have several: a single one is a row of the results. */
export function selectDifferences(differences: EvaluationResults['differences']) {
  const known = differences.filter((one) => one[MEASURES[one.task].key] !== null);
  return [...groupBy(known, formatEvaluation).values()].filter((own) => own.length >= 2);
}

/** Selects scores to compare: of several models or contexts. */
export function selectScores<Mark extends { readonly model: string; readonly context: HistoryForm }>(
  marks: readonly Mark[],
): readonly Mark[] {
  return new Set(marks.map(({ model, context }) => `${context} ${model}`)).size >= 2 ? marks : [];
}

/** Selects scores of several instance types: those of a single one are those of all instances. */
export function selectTypes<Mark extends { readonly measure: string }>(
  marks: readonly Mark[],
): readonly Mark[] {
  return new Set(marks.map(({ measure }) => measure)).size >= 2 ? marks : [];
}

/** Selects the squares of a matrix that has several columns, which a single one does not compare. */
export function selectSquares<Square extends { readonly column: string }>(
  squares: readonly Square[],
): readonly Square[] {
  return new Set(squares.map(({ column }) => column)).size >= 2 ? squares : [];
}

/** Selects a distribution of several types. */
export function selectDistribution<Entry>(entries: readonly Entry[] = []): readonly Entry[] {
  return entries.length >= 2 ? entries : [];
}

/** Selects the periods of a run that lasted for several. */
export function selectPeriods<Period>(periods: readonly Period[]): readonly Period[] {
  return periods.length >= LEAST_POINTS ? periods : [];
}
