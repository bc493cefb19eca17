import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { buildAnalysisSections, type AnalysisInputs } from '../../pages/report/tables/analyses';
import { buildOverviewTables } from '../../pages/report/tables/overview';
import { renderResultNotes } from '../../pages/report/tables/notes';
import { writeSentences } from '../../pages/report/tables/sentences';
import { buildResultTables } from '../../pages/report/tables/results';
import { getWidth } from '../output';
import { renderTable } from '../terminal/table';

/** Renders the end of an evaluation for a terminal: every model in every context, their differences, and notes. */
export function renderResults(results: EvaluationResults): string[] {
  return [...renderOverview(results, getWidth(100)), '', ...renderResultNotes(results)];
}

/** Renders `results.txt`: the results, also by instance type, every analysis, and sentences for a paper. */
export function renderFullResults(results: EvaluationResults): string[] {
  const sentences = writeSentences(results).flatMap((sentence) => ['', sentence]);
  return [
    ...renderOverview(results, WIDTH),
    '',
    '',
    ...renderResultTables(results.cells),
    '',
    ...renderResultNotes(results),
    ...renderAnalyses(results),
    ...(sentences.length === 0 ? [] : ['', '', 'For a paper', ...sentences]),
  ];
}

function renderOverview(results: EvaluationResults, width: number): string[] {
  return buildOverviewTables(results).flatMap(({ above, columns, rows }, at) => [
    ...(at === 0 ? [] : ['']),
    ...above,
    ...renderTable(columns, rows, width),
  ]);
}

/** Renders the result tables for a terminal of 100 columns. Long model names may exceed this width. */
export function renderResultTables(cells: readonly ResultCell[]): string[] {
  return buildResultTables(cells).flatMap(({ above, columns, rows, below = [] }, at) => [
    ...(at === 0 ? [] : ['']),
    ...above,
    ...renderTable(columns, rows),
    ...below,
  ]);
}

/** Renders each analysis: its title, a line that explains its numbers, and its tables. */
export function renderAnalyses(inputs: AnalysisInputs): string[] {
  return buildAnalysisSections(inputs).flatMap(({ title, explanation, tables }) => [
    '',
    '',
    title,
    explanation,
    ...tables.flatMap(({ above, columns, rows }) => ['', ...above, ...renderTable(columns, rows, WIDTH)]),
  ]);
}

/** Width of the tables in files, unless names are longer. */
const WIDTH = 100;
