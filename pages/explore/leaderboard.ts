import { groupBy } from '../../rules/group-by';
import { getSetting } from '../../rules/scores/cells';
import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { MEASURES } from '../../schemas/evaluation/measure';
import { listOverviews, type Overview, type ScoreLink } from '../../runs/tables/overview';
import { getMainNumber } from '../../runs/tables/result-cell';
import { type Quantity, type TableColumn, toQuantity } from '../../schemas/text/table';
import type { PageTable, ViewChange } from './answers';
import type { FindCost } from './costs';
import { linkCell } from './link-table';
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
export function buildLeaderboards(source: EvaluationSource): PageTable[] {
  const { results } = source.folder;
  return results === undefined
    ? []
    : listOverviews(results).map((overview) => buildLeaderboard(source, results, overview));
}

function buildLeaderboard(
  { folder, hasOthers, rows: index, findCost }: EvaluationSource,
  { models }: EvaluationResults,
  { title, lines, columns, rows }: Overview,
): PageTable {
  const findColumn = (cell: Named) =>
    index?.findColumn({ ...getSetting(cell), model: cell.model, source: folder.name });
  const types = INSTANCE_TYPES.filter((type) => rows.some(({ cell }) => cell.by_type[type] !== undefined));
  const areCompared = index !== undefined && rows.some((row) => findBest(row) !== undefined);
  const outcomes = areCompared ? COMPARED : [];
  const [main, ...furtherColumns] = columns;
  return {
    title: hasOthers ? `${folder.name}: ${title}` : title,
    lines: [
      ...lines,
      ...(areCompared
        ? [
            'Wins, ties, losses: instances on which a model scored more than, as much as, or less than the best.',
          ]
        : []),
      ...(findCost === undefined ? [] : ["Cost: the model's own calls at list prices."]),
    ],
    names: 'Model',
    columns: [
      { title: 'Context', isText: true },
      ...(main === undefined ? [] : [main]),
      ...types.map((type): TableColumn => ({ title: type })),
      ...furtherColumns,
      ...outcomes.map((outcome): TableColumn => ({ title: outcome.title })),
      ...(findCost === undefined ? [] : [{ title: 'cost' }]),
    ],
    rows: rankRows(rows).map((row) => {
      const { cell, cells } = row;
      const column = findColumn(cell);
      const [first, ...furtherCells] = cells.map((quantity) =>
        linkCell(quantity, (link) => listInstances(quantity.value, link, findColumn)),
      );
      const best = findBest(row);
      return {
        name: cell.model,
        link: linkColumn(column),
        cells: [
          cell.context,
          ...(first === undefined ? [] : [first]),
          ...types.map((type) => buildTypeCell(cell, type, column)),
          ...furtherCells,
          ...outcomes.map(({ key }) =>
            index === undefined
              ? ''
              : buildOutcomeCell(index, column, best && findColumn({ ...cell, ...best }), key),
          ),
          ...(findCost === undefined ? [] : [{ ...findCost(models, cell), link: linkColumn(column) }]),
        ],
      };
    }),
  };
}

function linkColumn(column: number | undefined): ViewChange | undefined {
  return column === undefined ? undefined : { columns: `${column}` };
}

/** Returns the rows by context, the best model of each first. */
function rankRows(rows: Overview['rows']): Overview['rows'] {
  return [...groupBy(rows, ({ cell }) => cell.context).values()].flatMap((contextRows) =>
    contextRows.toSorted((a, b) => (b.cells[0]?.value ?? -1) - (a.cells[0]?.value ?? -1)),
  );
}

type Named = Parameters<typeof getSetting>[0] & Pick<ResultCell, 'model'>;
type FindColumn = (cell: Named) => number | undefined;

/** Finds the best model of the row's context, if that is another one. */
function findBest({ cell, cells }: Overview['rows'][number]): ScoreLink['other'] {
  return cells.find(({ link }) => link?.other !== undefined && link.other.context === cell.context)?.link
    ?.other;
}

/** Lists the instances behind a number: those of a state, those that differ most, or the worst ones. */
function listInstances(
  value: number | null,
  { cell, other, state }: ScoreLink,
  findColumn: FindColumn,
): ViewChange | undefined {
  const column = findColumn(cell);
  if (column === undefined || value === null || (value === 0 && state !== undefined)) return undefined;
  if (state !== undefined) return { columns: `${column}`, ...(state === 'scored' ? {} : { failure: state }) };
  if (other === undefined) return { columns: `${column}`, sort: 'score' };
  const comparedColumn = findColumn({ ...cell, ...other });
  return comparedColumn === undefined
    ? undefined
    : { columns: `${column}.${comparedColumn}`, sort: 'disagreement' };
}

function buildTypeCell(
  cell: ResultCell,
  type: (typeof INSTANCE_TYPES)[number],
  column: number | undefined,
): Quantity<ViewChange> {
  const quantity = toQuantity(getMainNumber(cell.by_type[type]).value, MEASURES[cell.task].form);
  return column === undefined || quantity.value === null
    ? quantity
    : { ...quantity, link: { columns: `${column}`, type, sort: 'score' } };
}

/** Outcomes of an instance against the best model. */
const COMPARED = [
  { title: 'wins', key: 'win' },
  { title: 'ties', key: 'tie' },
  { title: 'losses', key: 'loss' },
] as const;

function buildOutcomeCell(
  index: ResultsIndex,
  column: number | undefined,
  otherColumn: number | undefined,
  outcome: (typeof COMPARED)[number]['key'],
): Quantity<ViewChange> {
  if (column === undefined || otherColumn === undefined) return { value: null, text: '' };
  const value = index.compare(column, otherColumn)[outcome];
  return value === 0
    ? { value }
    : { value, link: { columns: `${column}.${otherColumn}`, outcome, sort: 'disagreement' } };
}
