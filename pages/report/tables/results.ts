import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { GROUPS, findPaperModel, readPaperNumbers, type Group } from '../../../data/paper';
import { isComparable, listParts, type PaperSetup } from '../../../runs/evaluate/paper-setup';
import type { ScoreRow, Task } from '../../../schemas/evaluation/evaluation';
import type { HistoryForm } from '../../../schemas/evaluation/context';
import type { InstanceType } from '../../../schemas/dataset/instance-type';
import type { Counts, InferenceAverages } from '../../../rules/scores/aggregate';
import { groupBy } from '../../../rules/group-by';
import { formatMatchers, type ReportTable } from './section';
import { NOTHING, formatPercent, formatScore, type Interval } from '../../../schemas/text/numbers';
import type { TableColumn, TableRow } from '../../../schemas/text/table';

/** The part of a results cell, as in `results.json`, that the tables show. */
export interface ResultCell {
  readonly task: Task;
  /** As modelName gives it. */
  readonly model: string;
  readonly context: HistoryForm;
  readonly evaluator: string;
  readonly evaluator_form: ScoreRow['evaluator_form'];
  readonly decomposer: string | null;
  readonly setup: PaperSetup;
  readonly all: GroupResult;
  /** Absent for a type without instances. */
  readonly by_type: Readonly<Partial<Record<InstanceType, GroupResult>>>;
}

/** The result of a group of instances. */
export interface GroupResult {
  readonly counts: Readonly<Omit<Counts, 'missing_by'>>;
  /** Micro averages from 0 to 1. */
  readonly inference: (MatchScores & { readonly intervals: { readonly f1: Interval | null } }) | null;
  /** From 1 to 10. */
  readonly generation: {
    readonly average_score: number | null;
    readonly intervals: { readonly average_score: Interval | null };
  } | null;
}

type MatchScores = Readonly<Pick<InferenceAverages, 'precision' | 'recall' | 'f1'>>;

/**
 * Builds a table for each task, context, evaluator and set-up, in the cells' order, with the models one below
 * the other. If the set-up is the paper's, its numbers are below each model that it tested.
 */
export function buildResultTables(cells: readonly ResultCell[]): ReportTable[] {
  return groupBySetting(cells).map((ofSetting) => ({
    above: renderTitle(ofSetting[0]),
    ...(ofSetting[0].task === 'inference'
      ? { columns: INFERENCE_COLUMNS, rows: ofSetting.flatMap(buildInferenceRows) }
      : { columns: GENERATION_COLUMNS, rows: ofSetting.flatMap(buildGenerationRows) }),
    below: ofSetting.some((cell) => isInPaper(cell) && isComparable(cell.setup))
      ? [formatPaperLine(ofSetting[0])]
      : [],
  }));
}

/** Groups the cells that differ only in their models. */
function groupBySetting(cells: readonly ResultCell[]): [ResultCell, ...ResultCell[]][] {
  const settings = [
    ...groupBy(cells, ({ task, context, evaluator, evaluator_form, decomposer, setup }) =>
      JSON.stringify([task, context, evaluator, evaluator_form, decomposer, setup]),
    ),
  ];
  return settings.flatMap(([, [first, ...others]]) => (first === undefined ? [] : [[first, ...others]]));
}

function renderTitle({ task, context, evaluator, evaluator_form, decomposer, setup }: ResultCell): string[] {
  const compared = formatSetup(setup);
  if (task === 'generation')
    return [
      `Generation ${GIVEN_WORDS[context]}: mean score from 1 to 10`,
      `judged by ${evaluator}`,
      compared,
    ];
  return [
    `Inference ${GIVEN_WORDS[context]}: micro averages in %`,
    formatMatchers({ evaluator, evaluator_form, decomposer }),
    compared,
  ];
}

/** Names the parts only: what they are stands above, in the notes and in `results.json`. */
function formatSetup(setup: PaperSetup): string {
  const parts = listParts(setup);
  const namesOf = (same: boolean) =>
    parts.flatMap(([name, part]) => ((part === 'paper') === same ? [name] : [])).join(', ');
  return [
    ...(namesOf(true) === '' ? [] : [`same as in the paper: ${namesOf(true)}`]),
    ...(namesOf(false) === '' ? [] : [`different from the paper: ${namesOf(false)}`]),
  ].join('; ');
}

/** Wording for the history that a model under test saw. */
export const GIVEN_WORDS: Readonly<Record<HistoryForm, string>> = {
  full: 'from all sessions',
  oracle: 'from the relevant sessions only',
  summary: "from the model's own summaries",
  none: 'from the request alone',
  preference: 'with the true preference',
};

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  all: 'All',
  consistent: 'Consistent',
  contrastive: 'Contrastive',
  changing: 'Changing',
};
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
  scores: (group: Group) => MatchScores | null | undefined,
  interval: Interval | null | undefined,
): string[] {
  return GROUPS.flatMap((group) => {
    const { precision, recall, f1 } = scores(group) ?? NO_SCORES;
    const cells = [precision, recall, f1].map(formatPercent);
    return group === 'all' ? [...cells, formatInterval(interval, formatPercent)] : cells;
  });
}

const NO_SCORES: MatchScores = { precision: null, recall: null, f1: null };

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
  scores: (group: Group) => number | null | undefined,
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

function findResult(cell: ResultCell, group: Group): GroupResult | undefined {
  return group === 'all' ? cell.all : cell.by_type[group];
}

/** Returns whether the paper has numbers of the same model in the same setting. */
export function isInPaper(cell: ResultCell): boolean {
  return (cell.task === 'inference' ? findPaperInference(cell) : findPaperGeneration(cell)) !== undefined;
}

function findPaperInference({ model, context, evaluator_form }: ResultCell) {
  if (evaluator_form === 'judge' || context === 'preference') return undefined;
  return findPaperModel(model)?.inference[evaluator_form][context];
}

function findPaperGeneration({ model, context }: ResultCell) {
  return findPaperModel(model)?.generation[context];
}

function formatPaperLine({ evaluator_form }: ResultCell): string {
  const { evaluator, matcher, url, data } = readPaperNumbers();
  return `paper: ${url}, on its ${formatCount(data.instances, 'instance')}, by ${evaluator_form === 'prefmatcher' ? matcher : evaluator}`;
}

export function formatInterval(
  interval: Interval | null | undefined,
  text: (bound: number) => string,
): string {
  return interval === null || interval === undefined
    ? NOTHING
    : `${text(interval.low)}–${text(interval.high)}`;
}
