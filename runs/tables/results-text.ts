import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import type { Table } from '../../schemas/text/table';
import { renderTable } from '../../schemas/text/text-table';
import { buildAnalysisSections, type AnalysisInputs } from './analyses';
import { renderResultNotes } from './notes';
import { buildOverviewTables } from './overview';
import { buildResultTables } from './results';
import { writeSentences } from './sentences';

/** Renders the end of an evaluation for a terminal: every model in every context, their differences, and notes. */
export function renderResults(results: EvaluationResults, width: number): string[] {
  return [...renderTables(buildOverviewTables(results), width), '', ...renderResultNotes(results)];
}

/** Renders `results.txt`: the results, also by instance type, every analysis, and sentences for a paper. */
export function renderFullResults(results: EvaluationResults): string[] {
  const sentences = writeSentences(results).flatMap((sentence) => ['', sentence]);
  return [
    ...renderTables(buildOverviewTables(results), WIDTH),
    '',
    '',
    ...renderResultTables(results.cells),
    '',
    ...renderResultNotes(results),
    ...renderAnalyses(results),
    ...(sentences.length === 0 ? [] : ['', '', 'For a paper', ...sentences]),
  ];
}

/** Renders the result tables for a terminal of 100 columns. Long model names may exceed this width. */
export function renderResultTables(cells: readonly ResultCell[]): string[] {
  return renderTables(buildResultTables(cells), Number.POSITIVE_INFINITY);
}

/** Renders each analysis: its title, a line that explains its numbers, and its tables. */
export function renderAnalyses(inputs: AnalysisInputs): string[] {
  return buildAnalysisSections(inputs).flatMap(({ title, explanation, tables }) => [
    '',
    '',
    title,
    explanation,
    '',
    ...renderTables(tables, WIDTH),
  ]);
}

/** Width of the tables in files, unless names are longer. */
const WIDTH = 100;

function renderTables(tables: readonly Table<unknown>[], width: number): string[] {
  return tables.flatMap((table, at) => [...(at === 0 ? [] : ['']), ...renderTable(table, width)]);
}
