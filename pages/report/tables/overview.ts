import type { EvaluationResults, ResultCell } from '../../../schemas/evaluation/results';
import { groupBy } from '../../../rules/group-by';
import { MEASURES } from '../../../schemas/evaluation/measure';
import type { Difference } from '../../../schemas/evaluation/results/figures';
import type { ScoreRow, Task } from '../../../schemas/evaluation/evaluation';
import {
  formatInterval,
  formatPercent,
  formatSigned,
  formatSignedInterval,
} from '../../../schemas/text/numbers';
import type { TableColumn } from '../../../schemas/text/table';
import { getMainNumber } from './result-cell';
import { formatErrors } from './results';
import { buildRowsByContext, groupByEvaluation, indentName, type ReportTable } from './section';

/** The results that the tables show. */
type OverviewInputs = Pick<EvaluationResults, 'cells' | 'differences' | 'context_differences'>;

/** The value of a cell minus that of another one; undefined if they were not compared, `best` for the best model of several. */
type Compare = (cell: ResultCell) => (Difference & { readonly other: OtherCell }) | 'best' | undefined;

/** The results of one task and evaluator. */
export interface Overview {
  readonly above: readonly string[];
  /** One for each number. */
  readonly columns: readonly OverviewColumn[];
  readonly rows: readonly { readonly cell: ResultCell; readonly numbers: readonly OverviewNumber[] }[];
}

export interface OverviewColumn {
  readonly title: string;
  /** Unit of a difference. */
  readonly unit?: string;
  readonly hasInterval: boolean;
}

/** A number of a cell, and the instances behind it. */
export interface OverviewNumber {
  readonly text: string;
  /** Null if unknown. */
  readonly value: number | null;
  /** 95 % interval; empty or a dash if there is none. */
  readonly interval?: string;
  /** The cell that a difference subtracts. */
  readonly other?: OtherCell;
  /** The state of the instances that it counts. */
  readonly state?: ScoreRow['state'];
}

type OtherCell = Pick<ResultCell, 'model' | 'context'>;

/** Builds the tables for a terminal. */
export function buildOverviewTables(results: OverviewInputs): ReportTable[] {
  return listOverviews(results).map(({ above, columns, rows }) => ({
    above,
    columns: [{ title: '' }, ...columns.flatMap(splitColumn)],
    rows: buildRowsByContext(
      rows.map(({ cell, numbers }) => ({
        context: cell.context,
        row: [indentName(cell.model), ...numbers.flatMap(splitNumber)],
      })),
      (group) => group.map(({ row }) => row),
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
    const comparisons = listComparisons(results, task, cells);
    const countColumns = COUNTS.filter(
      ({ isAlways, count }) => isAlways || cells.some(({ all }) => count(all.counts) > 0),
    );
    return {
      above: [
        `${line}: ${average}${scale === 100 ? ' in %' : ''} of all instances`,
        ...cells
          .slice(0, 1)
          .flatMap(({ evaluator_errors: errors }) => (errors === undefined ? [] : [formatErrors(errors)])),
      ],
      columns: buildOverviewColumns(task, comparisons, countColumns),
      rows: cells.map((cell) => ({ cell, numbers: listNumbers(cell, comparisons, countColumns) })),
    };
  });
}

/** Lists the comparisons that some cell has, with their titles. */
function listComparisons(
  { differences, context_differences: ofContexts }: OverviewInputs,
  task: Task,
  cells: readonly ResultCell[],
): { readonly title: string; readonly compare: Compare }[] {
  const { key } = MEASURES[task];
  const best = new Map(
    [...groupBy(cells, ({ context }) => context)].map(([context, contextCells]) => [
      context,
      findBest(contextCells),
    ]),
  );
  const toBest: Compare = (cell) => {
    const bestModel = best.get(cell.context);
    const cellDifferences = differences.filter(
      (difference) => isSameEvaluation(difference, cell) && difference.context === cell.context,
    );
    const isCompared = cellDifferences.some(
      (difference) =>
        [difference.model, difference.other_model].includes(cell.model) && difference[key] !== null,
    );
    if (cell.model === bestModel) return isCompared ? 'best' : undefined;
    const pairDifference = findPair(
      cellDifferences,
      key,
      ({ model, other_model: second }) => [model, second],
      [cell.model, bestModel],
    );
    return pairDifference && bestModel !== undefined
      ? { ...pairDifference, other: { model: bestModel, context: cell.context } }
      : undefined;
  };
  const toFull: Compare = (cell) => {
    const cellDifferences = ofContexts.filter(
      (difference) => isSameEvaluation(difference, cell) && difference.model === cell.model,
    );
    const pairDifference = findPair(
      cellDifferences,
      key,
      ({ context, other_context }) => [context, other_context],
      [cell.context, 'full'],
    );
    return pairDifference && { ...pairDifference, other: { model: cell.model, context: 'full' } };
  };
  return [
    { title: 'To the best', compare: toBest },
    { title: 'To full', compare: toFull },
  ].filter(({ compare }) => cells.some((cell) => compare(cell) !== undefined));
}

type Evaluated = Pick<ResultCell, 'task' | 'evaluator' | 'evaluator_form' | 'decomposer'>;

function isSameEvaluation(entry: Evaluated, cell: Evaluated): boolean {
  return (
    entry.task === cell.task &&
    entry.evaluator === cell.evaluator &&
    entry.evaluator_form === cell.evaluator_form &&
    entry.decomposer === cell.decomposer
  );
}

function findBest(cells: readonly ResultCell[]): string | undefined {
  const scored = cells.flatMap(({ model, all }) => {
    const { value } = getMainNumber(all);
    return typeof value === 'number' ? [{ model, value }] : [];
  });
  return scored.toSorted((a, b) => b.value - a.value)[0]?.model;
}

/** Finds the difference of one name to another, which may be stored the other way around. */
function findPair<Entry extends Readonly<Record<Key, Difference | null>>, Key extends string>(
  entries: readonly Entry[],
  key: Key,
  namesOf: (entry: Entry) => readonly [string, string],
  [firstName, secondName]: readonly [string, string | undefined],
): Difference | undefined {
  for (const entry of entries) {
    const [first, second] = namesOf(entry);
    const storedDifference = entry[key];
    if (storedDifference === null) continue;
    if (first === firstName && second === secondName) return storedDifference;
    if (first === secondName && second === firstName) {
      const { difference, interval } = storedDifference;
      return {
        difference: -difference,
        interval: interval === null ? null : { low: -interval.high, high: -interval.low },
      };
    }
  }
  return undefined;
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
  { title: 'missing', state: 'missing', isAlways: true, count: ({ missing }) => missing },
  { title: 'open', state: 'open', isAlways: false, count: ({ open }) => open },
  {
    title: 'over the context length',
    state: 'context-length',
    isAlways: false,
    count: ({ context_length: tooLong }) => tooLong,
  },
];

function buildOverviewColumns(
  task: Task,
  comparisons: readonly { readonly title: string }[],
  countColumns: typeof COUNTS,
): OverviewColumn[] {
  const unit = MEASURES[task].scale === 100 ? '%' : 'score';
  return [
    { title: MEASURES[task].title, hasInterval: true },
    ...(task === 'choice' ? [{ title: 'paired', hasInterval: true }] : []),
    ...comparisons.map(({ title }) => ({ title, unit, hasInterval: true })),
    ...countColumns.map(({ title }) => ({ title, hasInterval: false })),
  ];
}

function listNumbers(
  cell: ResultCell,
  comparisons: readonly { readonly compare: Compare }[],
  countColumns: typeof COUNTS,
): OverviewNumber[] {
  const { format } = MEASURES[cell.task];
  const { counts, choice } = cell.all;
  const { value = null, interval } = getMainNumber(cell.all);
  const pairedAccuracy = choice?.paired_accuracy ?? null;
  return [
    { text: format(value), value, interval: formatInterval(interval, format) },
    ...(cell.task === 'choice'
      ? [
          {
            text: formatPercent(pairedAccuracy),
            value: pairedAccuracy,
            interval: formatInterval(choice?.intervals.paired_accuracy, formatPercent),
          },
        ]
      : []),
    ...comparisons.map(({ compare }) => buildDifference(compare(cell), format)),
    ...countColumns.map(({ state, count }) => ({ text: `${count(counts)}`, value: count(counts), state })),
  ];
}

function buildDifference(
  comparison: ReturnType<Compare>,
  format: (typeof MEASURES)[Task]['format'],
): OverviewNumber {
  // The best model differs from itself by nothing.
  if (comparison === 'best') return { text: comparison, value: 0, interval: '' };
  const { difference = null, other } = comparison ?? {};
  return {
    text: formatSigned(difference, format),
    value: difference,
    interval: formatSignedInterval(comparison?.interval, format),
    ...(other && { other }),
  };
}

/** Makes the columns of a terminal, where an interval has one of its own. */
function splitColumn({ title, unit, hasInterval }: OverviewColumn): TableColumn[] {
  const [valueColumn, interval] =
    unit === undefined
      ? [{ title }, { title: INTERVAL }]
      : [
          { title: unit, group: title },
          { title: INTERVAL, group: title },
        ];
  return hasInterval ? [valueColumn, interval] : [valueColumn];
}

const INTERVAL = '95 %';

function splitNumber({ text, interval }: OverviewNumber): string[] {
  return interval === undefined ? [text] : [text, interval];
}
