import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { isSameCell } from '../../rules/analyses/groups';
import { describeCell } from '../../rules/trials/cells';
import { formatResultName, nameEvaluators } from '../../rules/trials/rows';
import { formatCount } from '../../schemas/text/count-text';
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

/** Open instances of a finished command: how many are its own, and a line about those of other models, contexts and tasks. */
interface OpenInstances {
  readonly ownCount: number;
  readonly lines: readonly string[];
}

/** Finds the instances that nothing was asked about yet, as after data that grew. A command without cells, such as --rescore, asks about none. */
export function findOpenInstances(
  { cells, models, evaluators }: Pick<EvaluationResults, 'cells' | 'models' | 'evaluators'>,
  commandCells: readonly Cell[],
): OpenInstances {
  const ownKeys = commandCells.map((cell) => ({
    task: cell.task,
    model: formatResultName(models, cell.model),
    context: cell.context,
    ...nameEvaluators(evaluators, cell),
  }));
  const isOwn = (cell: ResultCell) => ownKeys.some((key) => isSameCell(key, cell));
  const openCells = cells.filter(({ all }) => all.counts.open > 0);
  const parts = openCells
    .filter((cell) => !isOwn(cell))
    .map((cell) => `${formatCount(cell.all.counts.open, 'instance')} of ${describeCell(cell)}`);
  return {
    ownCount: openCells.filter(isOwn).reduce((sum, { all }) => sum + all.counts.open, 0),
    lines: parts.length === 0 ? [] : [describeUnnamed([...new Set(parts)])],
  };
}

/** Says which instances stay open after the last command of an evaluation, which did not name their cells. */
export function describeUnnamed(parts: readonly string[]): string {
  return `Still open: ${parts.join('; ')}. Run cupid eval with these models, contexts and tasks to evaluate them.`;
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
