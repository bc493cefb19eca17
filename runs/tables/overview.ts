import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import {
  findComparableBest,
  findContextDifference,
  type MainDifference,
} from '../../rules/analyses/model-comparison';
import { groupBy } from '../../rules/group-by';
import { MEASURES } from '../../schemas/evaluation/measure';
import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import { type Quantity, type Table, type TableColumn, toQuantity } from '../../schemas/text/table';
import { getMainNumber } from './result-cell';
import { formatErrors } from './results';
import { buildRowsByContext, groupByEvaluation } from './section';

/** The results that the tables show. */
type OverviewInputs = Pick<EvaluationResults, 'cells' | 'differences' | 'context_differences'>;

/** The value of a cell minus that of another one; undefined if they were not compared, a word for the best model of several. */
type Compare = (
  cell: ResultCell,
) => (MainDifference & { readonly comparedCell: OtherCell }) | 'best' | 'tied' | undefined;

/** The results of one task and evaluator: a row for each model in every context. */
export interface Overview extends Required<Pick<Table, 'title' | 'lines'>> {
  readonly task: Task;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly { readonly cell: ResultCell; readonly cells: readonly Quantity<ScoreLink>[] }[];
}

/** The instances behind a number of a cell: of a state, or with the cell that a difference subtracts. */
export interface ScoreLink {
  readonly cell: ResultCell;
  readonly state?: ScoreRow['state'];
  readonly other?: OtherCell;
}

type OtherCell = Pick<ResultCell, 'model' | 'context'>;

/** Builds the tables of a terminal and of a report, with the contexts one below the other. */
export function buildOverviewTables(results: OverviewInputs): Table<ScoreLink>[] {
  return listOverviews(results).map(({ rows, ...overview }) => ({
    title: overview.title,
    lines: overview.lines,
    columns: overview.columns,
    rows: buildRowsByContext(
      rows.map(({ cell, cells }) => ({ context: cell.context, name: cell.model, cells })),
      (contextRows) => contextRows.map(({ name, cells }) => ({ name, cells })),
    ),
  }));
}

/**
 * Lists the results of each task and evaluator: every model in every context, with its interval. Its paired differences are those to the best model
 * of the context, and to its own result with the full history.
 */
export function listOverviews(results: OverviewInputs): Overview[] {
  return groupByEvaluation(results.cells).map(({ task, line, entries: cells }) => {
    const { average, scale } = MEASURES[task];
    const comparisons = listComparisons(results, cells);
    const scoredCounts = new Set(cells.map(({ all: { counts } }) => counts.scored + counts.context_length));
    const countColumns = COUNTS.filter(
      ({ isAlways, count }) => isAlways || cells.some(({ all }) => count(all.counts) > 0),
    );
    return {
      task,
      title: `${line}: ${average}${scale === 100 ? ' in %' : ''} over all types`,
      lines: [
        ...cells
          .slice(0, 1)
          .flatMap(({ evaluator_errors: errors }) => (errors === undefined ? [] : [formatErrors(errors)])),
        ...(cells.some(isShared) ? ['* several models answered under this name'] : []),
      ],
      columns: buildOverviewColumns(task, comparisons, countColumns),
      rows: cells.map((cell) => ({
        cell,
        cells: buildOverviewCells(cell, comparisons, countColumns, scoredCounts),
      })),
    };
  });
}

/** Lists the comparisons that some cell has, with their titles. */
function listComparisons(results: OverviewInputs, cells: readonly ResultCell[]): Comparison[] {
  const bestByContext = new Map(
    [...groupBy(cells, ({ context }) => context)].map(([context, [first]]) => [
      context,
      first && findComparableBest(first, results),
    ]),
  );
  const toBest: Compare = ({ model, context }) => {
    const best = bestByContext.get(context);
    if (best === undefined) return undefined;
    if (best.model === model) return best.isTied ? 'tied' : 'best';
    const difference = best.differences.find((entry) => entry.model === model);
    return difference && { ...difference, comparedCell: { model: best.model, context } };
  };
  const toFull: Compare = (cell) => {
    const difference = findContextDifference(results.context_differences, cell, 'full');
    return difference === null
      ? undefined
      : { ...difference, comparedCell: { model: cell.model, context: 'full' } };
  };
  return [
    {
      title: 'To the best',
      explanation: `Difference to the best model of the same context, over the instances that count for both. "tied": another model is exactly as good. ${DIFFERENCE_INTERVAL}`,
      compare: toBest,
    },
    {
      title: 'To full',
      explanation: `Difference to the same model with the full history, over the instances that count in both contexts. ${DIFFERENCE_INTERVAL}`,
      compare: toFull,
    },
  ].filter(({ compare }) => cells.some((cell) => compare(cell) !== undefined));
}

interface Comparison extends Required<Pick<TableColumn, 'title' | 'explanation'>> {
  readonly compare: Compare;
}

const DIFFERENCE_INTERVAL =
  'Below it: its 95 % interval. If this contains 0, the two cannot be distinguished.';

const INTERVAL = 'Below it: its 95 % interval, estimated by drawing whole personas again and again.';

/** Meaning of the main number of each task. */
const MAIN_EXPLANATIONS: Readonly<Record<Task, string>> = {
  inference: `Harmonic mean of precision and recall over all checklist items, in percent. ${INTERVAL}`,
  generation: `Mean of the judge's scores, from 1 to 10; a history that is too long for the model counts as 0. ${INTERVAL}`,
  choice: `Share of instances for which the model chose the right option, in percent. The vertical line is chance. ${INTERVAL}`,
};

/** Counts of instances, some of which are shown only if there are any. */
const COUNTS: readonly {
  readonly title: string;
  readonly explanation: string;
  readonly state: ScoreRow['state'];
  readonly isAlways: boolean;
  readonly count: (counts: ResultCell['all']['counts']) => number;
}[] = [
  {
    title: 'scored',
    explanation: 'Instances that the number rests on.',
    state: 'scored',
    isAlways: true,
    count: ({ scored, context_length: tooLong }) => scored + tooLong,
  },
  {
    title: 'over the context length',
    explanation:
      'Scored instances with a history that is too long for the model. They count as a result of 0.',
    state: 'context-length',
    isAlways: false,
    count: ({ context_length: tooLong }) => tooLong,
  },
  {
    title: 'missing',
    explanation: 'Instances without a score, because a call gave no usable answer. They are in no average.',
    state: 'missing',
    isAlways: true,
    count: ({ missing }) => missing,
  },
  {
    title: 'open',
    explanation: 'Instances that are not evaluated yet.',
    state: 'open',
    isAlways: false,
    count: ({ open }) => open,
  },
];

function buildOverviewColumns(
  task: Task,
  comparisons: readonly Comparison[],
  countColumns: typeof COUNTS,
): TableColumn[] {
  const { title: main, scale, range } = MEASURES[task];
  return [
    { title: main, explanation: MAIN_EXPLANATIONS[task], range },
    ...(task === 'choice' ? [{ title: 'paired', explanation: PAIRED_EXPLANATION, range }] : []),
    ...comparisons.map(({ title: group, explanation }) => ({
      title: scale === 100 ? '%' : 'score',
      group,
      explanation,
    })),
    ...countColumns.map(({ title, explanation }) => ({ title, explanation })),
  ];
}

const PAIRED_EXPLANATION = `Share of personas for which the model chose right both before and after the preference changed, in percent; n is their number. A model that gives both the same answer has 0. The vertical line is chance. ${INTERVAL}`;

/** @param scoredCounts the numbers of scored instances in the table; with several, a difference says over how many it is */
function buildOverviewCells(
  cell: ResultCell,
  comparisons: readonly Comparison[],
  countColumns: typeof COUNTS,
  scoredCounts: ReadonlySet<number>,
): Quantity<ScoreLink>[] {
  const { form } = MEASURES[cell.task];
  const { counts, choice } = cell.all;
  const { value, interval = null } = getMainNumber(cell.all);
  const paired = toQuantity(choice?.paired_accuracy, 'percent', {
    interval: choice?.intervals.paired_accuracy ?? null,
    ...(choice && { n: choice.n_pairs }),
  });
  return [
    {
      ...toQuantity(value, form, { interval, ...(isShared(cell) && { mark: 'several models' }) }),
      ...toChance(choice?.chance),
      link: { cell },
    },
    ...(cell.task === 'choice' ? [{ ...paired, ...toChance(choice?.paired_chance), link: { cell } }] : []),
    ...comparisons.map(({ compare }) => buildDifference(cell, compare(cell), scoredCounts)),
    ...countColumns.map(({ state, count }) => ({ value: count(counts), link: { cell, state } })),
  ];
}

function toChance(chance: number | null | undefined): Pick<Quantity, 'chance'> {
  return typeof chance === 'number' ? { chance } : {};
}

function buildDifference(
  cell: ResultCell,
  comparison: ReturnType<Compare>,
  scoredCounts: ReadonlySet<number>,
): Quantity<ScoreLink> {
  // The best model differs from itself by nothing.
  if (typeof comparison === 'string') return { value: 0, text: comparison };
  const { difference, interval = null, comparedCell, n_instances: n } = comparison ?? {};
  const isOfAll = n === undefined || (scoredCounts.size === 1 && scoredCounts.has(n));
  return {
    ...toQuantity(difference, MEASURES[cell.task].form, {
      isSigned: true,
      interval,
      ...(!isOfAll && { n }),
    }),
    ...(comparedCell && { link: { cell, other: comparedCell } }),
  };
}

/** Returns whether several models answered under a name of the cell. */
function isShared({ shared_names: names = [] }: ResultCell): boolean {
  return names.length > 0;
}
