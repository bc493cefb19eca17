import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { nameEvaluators } from '../../rules/trials/rows';
import type { Cell } from '../../schemas/evaluation/evaluation';
import type { Table } from '../../schemas/text/table';
import { renderTable } from '../../schemas/text/text-table';
import { buildAnalysisSections, type AnalysisInputs } from './analyses';
import { renderResultNotes } from './notes';
import { buildOverviewTables } from './overview';
import { buildResultTables } from './results';
import { formatEvaluation, groupByEvaluation } from './section';
import { writeSentences } from './sentences';

/** Renders the end of an evaluation for a terminal: every model in every context, their differences, and notes. */
export function renderResults(results: EvaluationResults, width: number): string[] {
  return [...renderTables(buildOverviewTables(results), width), '', ...renderResultNotes(results)];
}

/** Cells that the end of a command shows, and the titles of the tables that it leaves out. */
interface ChosenCells {
  readonly shown: readonly ResultCell[];
  readonly others: readonly string[];
}

/** Chooses the tables with cells of a command, which it added or changed; all if it has none, as after `--rescore`. */
export function chooseCells(
  { cells, evaluators }: Pick<EvaluationResults, 'cells' | 'evaluators'>,
  commandCells: readonly Cell[],
): ChosenCells {
  if (commandCells.length === 0) return { shown: cells, others: [] };
  const lines = new Set(
    commandCells.map((cell) => formatEvaluation({ task: cell.task, ...nameEvaluators(evaluators, cell) })),
  );
  const groups = groupByEvaluation(cells);
  return {
    shown: cells.filter((cell) => lines.has(formatEvaluation(cell))),
    others: groups.flatMap(({ line }) => (lines.has(line) ? [] : [line])),
  };
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
