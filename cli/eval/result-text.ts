import type { EvaluationResults } from '../../runs/evaluate/results';
import { buildAnalysisSections, type AnalysisInputs } from '../../pages/report/tables/analyses';
import { renderNotes } from '../../pages/report/tables/notes';
import { buildResultTables, type ResultCell } from '../../pages/report/tables/results';
import { renderTable } from '../terminal/table';

/** The result of an evaluation, in lines for a person. */
export function renderResults(results: EvaluationResults): string[] {
  return [...renderResultTables(results.cells), '', ...renderNotes(results)];
}

/** The same, with every analysis beneath: `results.txt`. */
export function renderFullResults(results: EvaluationResults): string[] {
  return [...renderResults(results), ...renderAnalyses(results)];
}

/** The tables of the results, as lines for a terminal of 100 columns (names of models may be longer). */
export function renderResultTables(cells: readonly ResultCell[]): string[] {
  return buildResultTables(cells).flatMap(({ above, columns, rows, below = [] }, at) => [
    ...(at === 0 ? [] : ['']),
    ...above,
    ...renderTable(columns, rows),
    ...below,
  ]);
}

/** The analyses, each with a title, a line that says what its numbers are, and its tables. */
export function renderAnalyses(inputs: AnalysisInputs): string[] {
  return buildAnalysisSections(inputs).flatMap(({ title, explanation, tables }) => [
    '',
    '',
    title,
    explanation,
    ...tables.flatMap(({ above, columns, rows }) => ['', ...above, ...renderTable(columns, rows, WIDTH)]),
  ]);
}

/** How wide the tables are, unless names are longer. */
const WIDTH = 100;
