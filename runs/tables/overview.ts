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

/** The value of a cell minus that of another one; undefined if they were not compared, `best` for the best model of several. */
type Compare = (cell: ResultCell) => (MainDifference & { readonly other: OtherCell }) | 'best' | undefined;

/** The results of one task and evaluator: a row for each model in every context. */
export interface Overview extends Pick<Table, 'title' | 'lines'> {
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
    const countColumns = COUNTS.filter(
      ({ isAlways, count }) => isAlways || cells.some(({ all }) => count(all.counts) > 0),
    );
    return {
      task,
      title: `${line}: ${average}${scale === 100 ? ' in %' : ''} of all instances`,
      lines: [
        ...cells
          .slice(0, 1)
          .flatMap(({ evaluator_errors: errors }) => (errors === undefined ? [] : [formatErrors(errors)])),
        ...(cells.some(isShared) ? ['* several models answered under this name'] : []),
      ],
      columns: buildOverviewColumns(task, comparisons, countColumns),
      rows: cells.map((cell) => ({ cell, cells: buildOverviewCells(cell, comparisons, countColumns) })),
    };
  });
}

/** Lists the comparisons that some cell has, with their titles. */
function listComparisons(
  results: OverviewInputs,
  cells: readonly ResultCell[],
): { readonly title: string; readonly compare: Compare }[] {
  const bestByContext = new Map(
    [...groupBy(cells, ({ context }) => context)].map(([context, [first]]) => [
      context,
      first && findComparableBest(first, results),
    ]),
  );
  const toBest: Compare = ({ model, context }) => {
    const best = bestByContext.get(context);
    if (best === undefined) return undefined;
    if (best.model === model) return 'best';
    const difference = best.differences.find((entry) => entry.model === model);
    return difference && { ...difference, other: { model: best.model, context } };
  };
  const toFull: Compare = (cell) => {
    const difference = findContextDifference(results.context_differences, cell, 'full');
    return difference === null ? undefined : { ...difference, other: { model: cell.model, context: 'full' } };
  };
  return [
    { title: 'To the best', compare: toBest },
    { title: 'To full', compare: toFull },
  ].filter(({ compare }) => cells.some((cell) => compare(cell) !== undefined));
}

/** Counts of instances, some of which are shown only if there are any. */
const COUNTS: readonly {
  readonly title: string;
  readonly state: ScoreRow['state'];
  readonly isAlways: boolean;
  readonly count: (counts: ResultCell['all']['counts']) => number;
}[] = [
  {
    title: 'scored',
    state: 'scored',
    isAlways: true,
    count: ({ scored, context_length: tooLong }) => scored + tooLong,
  },
  {
    title: 'as 0, over the context length',
    state: 'context-length',
    isAlways: false,
    count: ({ context_length: tooLong }) => tooLong,
  },
  { title: 'missing', state: 'missing', isAlways: true, count: ({ missing }) => missing },
  { title: 'open', state: 'open', isAlways: false, count: ({ open }) => open },
];

function buildOverviewColumns(
  task: Task,
  comparisons: readonly { readonly title: string }[],
  countColumns: typeof COUNTS,
): TableColumn[] {
  const unit = MEASURES[task].scale === 100 ? '%' : 'score';
  return [
    { title: MEASURES[task].title },
    ...(task === 'choice' ? [{ title: 'paired' }] : []),
    ...comparisons.map(({ title: group }) => ({ title: unit, group })),
    ...countColumns.map(({ title }) => ({ title })),
  ];
}

function buildOverviewCells(
  cell: ResultCell,
  comparisons: readonly { readonly compare: Compare }[],
  countColumns: typeof COUNTS,
): Quantity<ScoreLink>[] {
  const { form } = MEASURES[cell.task];
  const { counts, choice } = cell.all;
  const { value, interval = null } = getMainNumber(cell.all);
  const paired = toQuantity(choice?.paired_accuracy, 'percent', {
    interval: choice?.intervals.paired_accuracy ?? null,
  });
  return [
    {
      ...toQuantity(value, form, { interval, ...(isShared(cell) && { mark: 'several models' }) }),
      link: { cell },
    },
    ...(cell.task === 'choice' ? [{ ...paired, link: { cell } }] : []),
    ...comparisons.map(({ compare }) => buildDifference(cell, compare(cell))),
    ...countColumns.map(({ state, count }) => ({ value: count(counts), link: { cell, state } })),
  ];
}

function buildDifference(cell: ResultCell, comparison: ReturnType<Compare>): Quantity<ScoreLink> {
  // The best model differs from itself by nothing.
  if (comparison === 'best') return { value: 0, text: comparison };
  const { difference, interval = null, other, n_instances: n } = comparison ?? {};
  const { scored, context_length: tooLong } = cell.all.counts;
  return {
    ...toQuantity(difference, MEASURES[cell.task].form, { interval, ...(n !== scored + tooLong && { n }) }),
    isSigned: true,
    ...(other && { link: { cell, other } }),
  };
}

/** Returns whether several models answered under a name of the cell. */
function isShared({ shared_names: names = [] }: ResultCell): boolean {
  return names.length > 0;
}
