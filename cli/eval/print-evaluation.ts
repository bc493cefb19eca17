import { join, relative } from 'node:path';
import type { EvaluationPlan } from '../../data/run/evaluation-plan';
import type { Cell } from '../../schemas/evaluation/evaluation';
import type { StoredEvaluation } from '../../runs/evaluate/outcomes';
import { RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { buildDataSetSections } from '../../runs/tables/data-sets';
import {
  rescoreEvaluation,
  type EvaluationFolder,
  type WrittenEvaluation,
  type WrittenScores,
} from '../../runs/evaluate/write';
import { chooseCells, findOpenInstances, renderResults } from '../../runs/tables/results-text';
import { buildSynthesizerSections } from '../../runs/tables/synthesizers';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import { printResult } from '../output';
import { getWidth } from '../terminal/width';
import { renderOutputs } from '../terminal/outputs';
import { printVerification } from './verification-results';
import type { ProgressView } from '../run/progress';

/** Work of a command, as its end shows it. */
interface PrintedWork {
  /** Cells that it evaluated; none if it scored everything again. */
  readonly cells: readonly Cell[];
  /** Evaluations that it compared with. */
  readonly compared: readonly StoredEvaluation[];
}

/** Rescores an evaluation from its stored answers, and prints its results. Returns the exit code. */
export async function printRescored(
  options: Pick<CarryOutOptions, 'json'>,
  folder: EvaluationFolder,
  before: EvaluationPlan | undefined,
  { cells, compared }: PrintedWork,
  view: ProgressView,
): Promise<number> {
  const writing = { compared, report: view.say };
  const evaluation = await rescoreEvaluation(folder, before, writing);
  view.hide();
  return printEvaluation(options, folder.path, evaluation, cells, view);
}

/**
 * Prints the results of an evaluation, or of a verification. Returns the exit code.
 * @param cells that the command evaluated; none if it scored everything again
 */
export function printEvaluation(
  options: Pick<CarryOutOptions, 'json'>,
  folder: string,
  evaluation: WrittenEvaluation,
  cells: readonly Cell[],
  view: ProgressView,
): number {
  return evaluation.kind === 'verification'
    ? printVerification(options, folder, evaluation, view)
    : printScores(options, folder, evaluation, cells, view);
}

function printScores(
  options: Pick<CarryOutOptions, 'json'>,
  folder: string,
  { results, placement, isCompared }: WrittenScores,
  cells: readonly Cell[],
  view: ProgressView,
): number {
  const { withheldFiles, foreignFiles } = placement;
  const report = { folder, ...results, analyses: undefined, outputs: { foreignFiles, withheldFiles } };
  const formatPath = (file: string) => relative(process.cwd(), join(folder, file));
  const run = quotePath(formatPath('.') || '.');
  const { shown, others } = chooseCells(results, cells);
  const open = findOpenInstances(results, cells);
  const hasMissing = results.cells.some(({ all }) => all.counts.missing > 0);
  const remedy = `run cupid eval --results-dir ${run} --rescore. It calls no model.`;
  printResult(options, { ...report, calls: view.totals() }, () => [
    ...renderResults({ ...results, cells: [...shown] }, getWidth(100)),
    ...(others.length === 0
      ? []
      : [`Results of earlier commands, in ${formatPath(RESULTS.text)}: ${others.join('; ')}.`]),
    ...(isCompared ? [describeComparison(results.analyses), ''] : []),
    ...renderOutputs(placement, DESCRIPTIONS, formatPath, remedy),
    ...open.lines,
    ...(hasMissing ? [`Retry what is missing: cupid retry ${run}`] : []),
    `Look at it: cupid explore ${run}`,
  ]);
  const isMissing = hasMissing || open.ownCount > 0;
  return isMissing || withheldFiles.length > 0 ? EXIT.withFailures : EXIT.done;
}

/** Says which tables `--compare` adds to the results, and why others are missing. */
export function describeComparison(
  analyses: Pick<EvaluationResults['analyses'], 'synthesizers' | 'data_sets' | 'shortcuts'>,
): string {
  const figure = buildSynthesizerSections(analyses.synthesizers);
  const titles = [...buildDataSetSections(analyses), ...figure].map(({ title }) => title);
  if (titles.length === 0)
    return '--compare adds no table: no model was evaluated on both data sets in the same setting (task, context and evaluator).';
  const exception =
    figure.length === 0 ? ' Figure 10 is not among them: it needs data that different models generated.' : '';
  return `--compare adds to ${RESULTS.text}: ${titles.join('; ')}.${exception}`;
}

const DESCRIPTIONS = {
  [RESULTS.summary]: 'every number with its interval, and the analyses',
  [RESULTS.rows]: 'a row for each instance, model, evaluator and task',
  [RESULTS.text]: 'all tables as text',
  [RESULTS.instances]: "a file for each instance, in the reference program's format",
};
