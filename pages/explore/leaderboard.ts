import { groupBy } from '../../rules/group-by';
import { getSetting } from '../../rules/scores/cells';
import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { MEASURES } from '../../schemas/evaluation/measure';
import { listOverviews, type Overview, type OverviewNumber } from '../report/tables/overview';
import { getMainNumber } from '../report/tables/result-cell';
import type { CellView, TableView } from './answers';
import type { FindCost } from './costs';
import type { ResultsIndex } from './results';
import type { ResultsFolder } from './sources';

/** A finished evaluation. Some numbers come from its rows, and are left out until these are read. */
export interface EvaluationSource {
  readonly folder: ResultsFolder;
  /** Whether there are others, so that titles name the folder. */
  readonly hasOthers: boolean;
  readonly rows: ResultsIndex | undefined;
  /** Absent if the folder has no ledger. */
  readonly findCost: FindCost | undefined;
}

/**
 * Builds the leaderboards of a finished evaluation, one for each task and evaluator: the numbers of its `results.json`, and how often a model did
 * better than the best one. Returns none for an evaluation in progress.
 */
export function buildLeaderboards(source: EvaluationSource): TableView[] {
  const { results } = source.folder;
  return results === undefined
    ? []
    : listOverviews(results).map((overview) => buildLeaderboard(source, results, overview));
}

function buildLeaderboard(
  { folder, hasOthers, rows: index, findCost }: EvaluationSource,
  { models }: EvaluationResults,
  { above, columns, rows }: Overview,
): TableView {
  const findColumn = (cell: Named) =>
    index?.findColumn({ ...getSetting(cell), model: cell.model, source: folder.name });
  const types = INSTANCE_TYPES.filter((type) => rows.some(({ cell }) => cell.by_type[type] !== undefined));
  const hasOther = rows.some(({ cell, numbers }) => findBest(cell, numbers) !== undefined);
  const [main, ...furtherColumns] = columns.map(({ title, unit }) =>
    unit === undefined ? title : `${title}, ${unit}`,
  );
  return {
    title: [...(hasOthers ? [folder.name] : []), ...above.slice(0, 1)].join(': '),
    above: [
      ...above.slice(1),
      ...(index !== undefined && hasOther
        ? [
            'Wins, ties, losses: instances on which a model scored more than, as much as, or less than the best.',
          ]
        : []),
      ...(findCost === undefined ? [] : ["Cost: the model's own calls at list prices."]),
    ],
    columns: [
      'Model',
      'Context',
      main ?? '',
      ...types,
      ...furtherColumns,
      ...(index !== undefined && hasOther ? COMPARED.map(({ title }) => title) : []),
      ...(findCost === undefined ? [] : ['cost']),
    ],
    rows: rankRows(rows).map(({ cell, numbers }) => {
      const column = findColumn(cell);
      const [first, ...furtherNumbers] = numbers.map((number) => linkNumber(number, cell, findColumn));
      const best = findBest(cell, numbers);
      const bestColumn = best && findColumn({ ...cell, ...best });
      return [
        { text: cell.model, value: null, to: linkColumn(column) },
        { text: cell.context, value: null },
        ...(first === undefined ? [] : [first]),
        ...types.map((type) => buildTypeCell(cell, type, column)),
        ...furtherNumbers,
        ...(index !== undefined && hasOther ? buildComparisonCells(index, column, bestColumn) : []),
        ...(findCost === undefined ? [] : [{ ...findCost(models, cell), to: linkColumn(column) }]),
      ];
    }),
  };
}

function linkColumn(column: number | undefined): CellView['to'] {
  return column === undefined ? undefined : { columns: `${column}` };
}

/** Returns the rows by context, the best model of each first. */
function rankRows(rows: Overview['rows']): Overview['rows'] {
  return [...groupBy(rows, ({ cell }) => cell.context).values()].flatMap((contextRows) =>
    contextRows.toSorted((a, b) => (b.numbers[0]?.value ?? -1) - (a.numbers[0]?.value ?? -1)),
  );
}

type Named = Parameters<typeof getSetting>[0] & Pick<ResultCell, 'model'>;
type FindColumn = (cell: Named) => number | undefined;

/** Finds the best model of the cell's context, if that is another one. */
function findBest(cell: ResultCell, numbers: readonly OverviewNumber[]): OverviewNumber['other'] {
  return numbers.find(({ other }) => other !== undefined && other.context === cell.context)?.other;
}

/** Links a number to the instances behind it: those of a state, those that differ most, or the worst ones. */
function linkNumber(
  { text, value, interval, other, state }: OverviewNumber,
  cell: ResultCell,
  findColumn: FindColumn,
): CellView {
  const column = findColumn(cell);
  const comparedColumn = other && findColumn({ ...cell, ...other });
  const cellView = { text, value, interval: interval === text ? undefined : interval };
  if (column === undefined || value === null || (value === 0 && state !== undefined)) return cellView;
  if (state !== undefined)
    return { ...cellView, to: { columns: `${column}`, ...(state === 'scored' ? {} : { failure: state }) } };
  if (other === undefined) return { ...cellView, to: { columns: `${column}`, sort: 'score' } };
  if (comparedColumn === undefined) return cellView;
  return { ...cellView, to: { columns: `${column}.${comparedColumn}`, sort: 'disagreement' } };
}

function buildTypeCell(
  cell: ResultCell,
  type: (typeof INSTANCE_TYPES)[number],
  column: number | undefined,
): CellView {
  const { value = null } = getMainNumber(cell.by_type[type]);
  return {
    text: MEASURES[cell.task].format(value),
    value,
    to: column === undefined || value === null ? undefined : { columns: `${column}`, type, sort: 'score' },
  };
}

/** Outcomes of an instance against the best model. */
const COMPARED = [
  { title: 'wins', key: 'win' },
  { title: 'ties', key: 'tie' },
  { title: 'losses', key: 'loss' },
] as const;

function buildComparisonCells(
  index: ResultsIndex,
  column: number | undefined,
  otherColumn: number | undefined,
): CellView[] {
  if (column === undefined || otherColumn === undefined)
    return COMPARED.map(() => ({ text: '', value: null }));
  const counts = index.compare(column, otherColumn);
  return COMPARED.map(({ key }) => ({
    text: `${counts[key]}`,
    value: counts[key],
    to:
      counts[key] === 0
        ? undefined
        : { columns: `${column}.${otherColumn}`, outcome: key, sort: 'disagreement' },
  }));
}
