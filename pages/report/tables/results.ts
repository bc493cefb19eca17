import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { GROUPS, findPaperModel, readPaperNumbers, type InstanceGroup } from '../../../data/paper';
import type { PaperSetup } from '../../../schemas/evaluation/results';
import { isComparable, listParts } from '../../../runs/evaluate/paper-setup';
import type { EvaluatorErrors } from '../../../schemas/evaluation/results/studies';
import type { ShareFigure } from '../../../schemas/dataset/data-figures';
import { groupBy } from '../../../rules/group-by';
import type { InferenceAverages } from '../../../schemas/evaluation/results/summary';
import { buildChoiceRow, CHOICE_COLUMNS, CHOICE_LINES } from './choices';
import { formatMatchers, type ReportTable } from './section';
import type { ResultCell } from '../../../schemas/evaluation/results';
import { GROUP_TITLES, type GroupResult } from './result-cell';
import {
  formatInterval,
  formatPercent,
  formatScore,
  NOTHING,
  type Interval,
} from '../../../schemas/text/numbers';
import type { TableColumn, TableRow } from '../../../schemas/text/table';

/**
 * Builds a table for each task, context, evaluator and set-up, in the cells' order, with the models one below
 * the other. If the set-up is the paper's, its numbers are below each model that it tested.
 */
export function buildResultTables(cells: readonly ResultCell[]): ReportTable[] {
  return groupBySetting(cells).map((settingCells) => ({
    above: renderTitle(settingCells[0]),
    ...buildTables(settingCells),
  }));
}

function buildTables(
  settingCells: readonly [ResultCell, ...ResultCell[]],
): Pick<ReportTable, 'columns' | 'rows' | 'below'> {
  const [first] = settingCells;
  if (first.task === 'choice') {
    const rows = settingCells.flatMap((cell) => [nameLine(cell), buildChoiceRow(cell)]);
    return { columns: CHOICE_COLUMNS, rows, below: CHOICE_LINES };
  }
  const isPaper = settingCells.some((cell) => isInPaper(cell) && isComparable(cell.setup));
  const below = isPaper ? [formatPaperLine(first)] : [];
  return first.task === 'inference'
    ? { columns: INFERENCE_COLUMNS, rows: settingCells.flatMap(buildInferenceRows), below }
    : { columns: GENERATION_COLUMNS, rows: settingCells.flatMap(buildGenerationRows), below };
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

function renderTitle(cell: ResultCell): string[] {
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

const INTERVAL_TITLE = '95 %';

const INFERENCE_COLUMNS: readonly TableColumn[] = [
  { title: '' },
  ...GROUPS.flatMap((group) =>
    ['P', 'R', 'F1', ...(group === 'all' ? [INTERVAL_TITLE] : [])].map((title) => ({
      title,
      group: GROUP_TITLES[group],
    })),
  ),
];

const GENERATION_COLUMNS: readonly TableColumn[] = [
  { title: '' },
  ...GROUPS.flatMap((group) =>
    [GROUP_TITLES[group], ...(group === 'all' ? [INTERVAL_TITLE] : [])].map((title) => ({ title })),
  ),
];

function buildInferenceRows(cell: ResultCell): TableRow[] {
  const paper = isComparable(cell.setup) ? findPaperInference(cell) : undefined;
  return [
    nameLine(cell),
    [
      '',
      ...buildInferenceCells((group) => findResult(cell, group)?.inference, cell.all.inference?.intervals.f1),
    ],
    ...(paper === undefined ? [] : [['paper', ...buildInferenceCells((group) => paper[group], null)]]),
  ];
}

function buildInferenceCells(
  scores: (group: InstanceGroup) => MatchAverages | null | undefined,
  interval: Interval | null | undefined,
): string[] {
  return GROUPS.flatMap((group) => {
    const { precision, recall, f1 } = scores(group) ?? NO_SCORES;
    const cells = [precision, recall, f1].map(formatPercent);
    return group === 'all' ? [...cells, formatInterval(interval, formatPercent)] : cells;
  });
}

type MatchAverages = Pick<InferenceAverages, 'precision' | 'recall' | 'f1'>;

const NO_SCORES: MatchAverages = { precision: null, recall: null, f1: null };

function buildGenerationRows(cell: ResultCell): TableRow[] {
  const paper = isComparable(cell.setup) ? findPaperGeneration(cell) : undefined;
  return [
    nameLine(cell),
    [
      '',
      ...buildGenerationCells(
        (group) => findResult(cell, group)?.generation?.average_score,
        cell.all.generation?.intervals.average_score,
      ),
    ],
    ...(paper === undefined ? [] : [['paper', ...buildGenerationCells((group) => paper[group], null)]]),
  ];
}

function buildGenerationCells(
  scores: (group: InstanceGroup) => number | null | undefined,
  interval: Interval | null | undefined,
): string[] {
  return GROUPS.flatMap((group) =>
    group === 'all'
      ? [formatScore(scores(group)), formatInterval(interval, formatScore)]
      : [formatScore(scores(group))],
  );
}

/**
 * Formats a model and its counts for a line of its own, so that a long name widens no column. Always includes the
 * missing count.
 */
function nameLine({ model, all: { counts } }: ResultCell): string {
  const { scored, context_length, missing, open } = counts;
  return [
    `${model}: ${formatNumber(scored + context_length)} of ${formatCount(scored + context_length + missing + open, 'instance')} scored`,
    `${formatNumber(missing)} missing`,
    ...(context_length === 0 ? [] : [`${formatNumber(context_length)} over the context length`]),
    ...(open === 0 ? [] : [`${formatNumber(open)} open`]),
  ].join(', ');
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
