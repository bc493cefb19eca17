import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { GROUPS, findPaperModel, readPaperNumbers, type InstanceGroup } from '../../data/paper';
import type { PaperSetup } from '../../schemas/evaluation/results';
import { isComparable, listParts } from '../../rules/scores/paper-parts';
import type { EvaluatorErrors } from '../../schemas/evaluation/results/studies';
import type { ShareFigure } from '../../schemas/dataset/data-figures';
import { groupBy } from '../../rules/group-by';
import type { InferenceAverages } from '../../schemas/evaluation/results/summary';
import { buildChoiceCells, CHOICE_COLUMNS, CHOICE_LINES } from './choices';
import { formatMatchers, omitEqualCounts } from './section';
import type { ResultCell } from '../../schemas/evaluation/results';
import { countType, GROUP_TITLES, type GroupResult } from './result-cell';
import { formatInterval, formatPercent, NOTHING } from '../../schemas/text/numbers';
import {
  type Table,
  type TableCell,
  type TableColumn,
  type TableRow,
  type Quantity,
  toQuantity,
} from '../../schemas/text/table';

/**
 * Builds a table for each task, context, evaluator and set-up, in the cells' order, with the models one below
 * the other. If the set-up is the paper's, its numbers are below each model that it tested.
 */
export function buildResultTables(cells: readonly ResultCell[]): Table[] {
  return groupBySetting(cells).map((settingCells) => {
    const [title = '', ...lines] = describeSetting(settingCells[0]);
    return { title, lines, ...omitEqualCounts(buildNumbers(settingCells)) };
  });
}

function buildNumbers(
  settingCells: readonly [ResultCell, ...ResultCell[]],
): Pick<Table, 'columns' | 'rows' | 'notes'> {
  const [first] = settingCells;
  if (first.task === 'choice') {
    const rows = settingCells.map((cell) => ({ ...nameRow(cell), cells: buildChoiceCells(cell) }));
    return { columns: CHOICE_COLUMNS, rows, notes: CHOICE_LINES };
  }
  const isPaper = settingCells.some((cell) => isInPaper(cell) && isComparable(cell.setup));
  const notes = isPaper ? [formatPaperLine(first)] : [];
  return first.task === 'inference'
    ? { columns: INFERENCE_COLUMNS, rows: settingCells.flatMap(buildInferenceRows), notes }
    : { columns: GENERATION_COLUMNS, rows: settingCells.flatMap(buildGenerationRows), notes };
}

/** Groups the cells that differ only in their models. */
function groupBySetting(cells: readonly ResultCell[]): [ResultCell, ...ResultCell[]][] {
  const settings = [
    ...groupBy(cells, ({ task, context, evaluator, evaluator_form, decomposer, setup }) =>
      JSON.stringify([task, context, evaluator, evaluator_form, decomposer, setup]),
    ),
  ];
  return settings.flatMap(([, [first, ...furtherCells]]) =>
    first === undefined ? [] : [[first, ...furtherCells]],
  );
}

function describeSetting(cell: ResultCell): string[] {
  const { task, context, evaluator, evaluator_form, decomposer, setup, evaluator_errors: errors } = cell;
  if (task === 'choice') {
    return [`Choice, context ${context}: accuracy in %, letters compared without any judge`];
  }
  const below = [...(errors === undefined ? [] : [formatErrors(errors)]), formatSetup(setup)];
  if (task === 'generation')
    return [`Generation, context ${context}: mean score from 1 to 10`, `judged by ${evaluator}`, ...below];
  return [
    `Inference, context ${context}: micro averages in %`,
    formatMatchers({ evaluator, evaluator_form, decomposer }),
    ...below,
  ];
}

/** Formats how often the matcher or judge was wrong about answers of known truth. */
export function formatErrors({ false_acceptance_rate, false_rejection_rate }: EvaluatorErrors): string {
  return `stress test: wrong answers accepted ${formatShare(false_acceptance_rate)}, right ones rejected ${formatShare(false_rejection_rate)}`;
}

function formatShare(figure: ShareFigure | null): string {
  if (figure === null) return NOTHING;
  return `${formatPercent(figure.share)} % (${formatInterval(figure.interval, formatPercent)})`;
}

/** Names the parts only: what they are stands above, in the notes and in `results.json`. */
function formatSetup(setup: PaperSetup): string {
  const parts = listParts(setup);
  const namesOf = (isPaperPart: boolean) =>
    parts.flatMap(([name, part]) => ((part === 'paper') === isPaperPart ? [name] : [])).join(', ');
  return [
    ...(namesOf(true) === '' ? [] : [`same as in the paper: ${namesOf(true)}`]),
    ...(namesOf(false) === '' ? [] : [`different from the paper: ${namesOf(false)}`]),
  ].join('; ');
}

const INFERENCE_COLUMNS: readonly TableColumn[] = GROUPS.flatMap((group) =>
  [
    ['P', 'Precision: share of the inferred checklist that the true preference covers.'],
    ['R', 'Recall: share of the true checklist that the inferred preference covers.'],
    ['F1', 'Harmonic mean of precision and recall.'],
  ].map(([title = '', explanation = '']) => ({ title, group: GROUP_TITLES[group], explanation })),
);

const GENERATION_COLUMNS: readonly TableColumn[] = GROUPS.map((group) => ({ title: GROUP_TITLES[group] }));

function buildInferenceRows(cell: ResultCell): TableRow[] {
  const paper = isComparable(cell.setup) ? findPaperInference(cell) : undefined;
  return [
    {
      ...nameRow(cell),
      cells: buildInferenceCells(
        (group) => findResult(cell, group)?.inference,
        (group) =>
          group === 'all' ? { interval: cell.all.inference?.intervals.f1 ?? null } : countType(cell, group),
      ),
    },
    ...(paper === undefined ? [] : [{ name: 'paper', cells: buildInferenceCells((group) => paper[group]) }]),
  ];
}

/** @param describe what belongs to the F1 of a group */
function buildInferenceCells(
  getScores: (group: InstanceGroup) => MatchAverages | null | undefined,
  describe: DescribeGroup = describePaper,
): TableCell[] {
  return GROUPS.flatMap((group) => {
    const scores = getScores(group);
    return [
      toQuantity(scores?.precision, 'percent'),
      toQuantity(scores?.recall, 'percent'),
      toQuantity(scores?.f1, 'percent', describe(group)),
    ];
  });
}

type MatchAverages = Pick<InferenceAverages, 'precision' | 'recall' | 'f1'>;

function buildGenerationRows(cell: ResultCell): TableRow[] {
  const paper = isComparable(cell.setup) ? findPaperGeneration(cell) : undefined;
  return [
    {
      ...nameRow(cell),
      cells: buildGenerationCells(
        (group) => findResult(cell, group)?.generation?.average_score,
        (group) =>
          group === 'all'
            ? { interval: cell.all.generation?.intervals.average_score ?? null }
            : countType(cell, group),
      ),
    },
    ...(paper === undefined ? [] : [{ name: 'paper', cells: buildGenerationCells((group) => paper[group]) }]),
  ];
}

/** @param describe what belongs to the score of a group */
function buildGenerationCells(
  getScore: (group: InstanceGroup) => number | null | undefined,
  describe: DescribeGroup = describePaper,
): TableCell[] {
  return GROUPS.map((group) => toQuantity(getScore(group), 'score', describe(group)));
}

/** Says that the paper has no intervals. */
const describePaper: DescribeGroup = (group) => (group === 'all' ? { interval: null } : {});

type DescribeGroup = (group: InstanceGroup) => Pick<Quantity, 'interval' | 'n'>;

/** Names a row by its model, with its counts. Always includes the missing count. */
function nameRow({ model, all: { counts } }: ResultCell): Pick<TableRow, 'name' | 'detail'> {
  const { scored, context_length, missing, open } = counts;
  const tooLong =
    context_length === 0 ? '' : ` (${formatNumber(context_length)} over the context length, counted as 0)`;
  const detail = [
    `${formatNumber(scored + context_length)} of ${formatCount(scored + context_length + missing + open, 'instance')} scored${tooLong}`,
    `${formatNumber(missing)} missing`,
    ...(open === 0 ? [] : [`${formatNumber(open)} open`]),
  ].join(', ');
  return { name: model, detail };
}

function findResult(cell: ResultCell, group: InstanceGroup): GroupResult | undefined {
  return group === 'all' ? cell.all : cell.by_type[group];
}

/** Returns whether the paper has numbers of the same model in the same setting. */
export function isInPaper(cell: ResultCell): boolean {
  if (cell.task === 'choice') return false;
  return (cell.task === 'inference' ? findPaperInference(cell) : findPaperGeneration(cell)) !== undefined;
}

function findPaperInference({ model, context, evaluator_form }: ResultCell) {
  if (evaluator_form === 'judge' || evaluator_form === 'letter' || context === 'preference') return undefined;
  return findPaperModel(model)?.inference[evaluator_form][context];
}

function findPaperGeneration({ model, context }: ResultCell) {
  return findPaperModel(model)?.generation[context];
}

function formatPaperLine({ evaluator_form }: ResultCell): string {
  const { evaluator, matcher, url, data } = readPaperNumbers();
  return `paper: ${url}, on its ${formatCount(data.instances, 'instance')}, by ${evaluator_form === 'prefmatcher' ? matcher : evaluator}`;
}
