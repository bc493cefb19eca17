import { groupBy } from '../../rules/group-by';
import { getSetting } from '../../rules/scores/cells';
import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import type { Task } from '../../schemas/evaluation/evaluation';
import { MEASURES } from '../../schemas/evaluation/measure';
import { type ComparisonSentence, writeComparisons } from '../../runs/tables/comparisons';
import { listOverviews, type Overview, type ScoreLink } from '../../runs/tables/overview';
import { countType, getMainNumber } from '../../runs/tables/result-cell';
import { renderCaveats } from '../../runs/tables/notes';
import { buildResultTables } from '../../runs/tables/results';
import { omitEqualCounts } from '../../runs/tables/section';
import { omitUndefined } from '../../schemas/omit-undefined';
import {
  formatCell,
  type Quantity,
  type TableCell,
  type TableColumn,
  toQuantity,
} from '../../schemas/text/table';
import type {
  ComparisonView,
  Leaderboard,
  LeaderboardsView,
  PageTable,
  ResultColumn,
  ViewChange,
} from './answers';
import { joinIds } from './columns';
import type { FindCost } from './costs';
import { linkCell } from './link-table';
import type { ScoreOutcome } from './filter';
import type { ResultsIndex } from './results';
import type { ResultsFolder } from './sources';

/** An evaluation. Some numbers come from its rows, and are left out until these are read. */
interface EvaluationSource {
  readonly folder: ResultsFolder;
  readonly rows: ResultsIndex | undefined;
  /** Absent if the folder has no ledger. */
  readonly findCost: FindCost | undefined;
}

/**
 * Builds the comparisons of the finished evaluations, and their leaderboards, one for each task and evaluator: the numbers of `results.json`, and how
 * often a model did better than the best one. Titles name the folder if there are several.
 */
export function buildLeaderboards(sources: readonly EvaluationSource[]): LeaderboardsView {
  const evaluations = sources.flatMap((source) => {
    const { name, results } = source.folder;
    if (results === undefined) return [];
    return [{ ...results, name: sources.length > 1 ? name : undefined, source, results }];
  });
  return {
    comparisons: writeComparisons(evaluations).map((comparison) =>
      viewComparison(comparison.evaluation.source, comparison),
    ),
    boards: evaluations.flatMap(({ name, source, results }) =>
      listOverviews(results).map(({ title, ...overview }) =>
        buildLeaderboard(source, results, {
          ...overview,
          title: name === undefined ? title : `${name}: ${title}`,
        }),
      ),
    ),
    notes: evaluations.flatMap(({ name, results }) =>
      renderCaveats(results).map((note) => (name === undefined ? note : `${name}: ${note}`)),
    ),
  };
}

/** Links a sentence to the instances on which the worse model is worse; to all if there are none. */
function viewComparison(
  { folder, rows: index }: EvaluationSource,
  { text, setting, models }: ComparisonSentence,
): ComparisonView {
  const [better, worse] = (models ?? []).map((model) =>
    index?.findColumn({ ...setting, model, source: folder.name }),
  );
  if (index === undefined || better === undefined || worse === undefined) return { text };
  const hasLosses = index.compare(worse.number, better.number).loss > 0;
  return { text, link: linkOutcome([worse, better], hasLosses ? 'loss' : undefined) };
}

/** Returns the view of the list that compares two columns, those instances first on which they differ most. */
function linkOutcome(
  columns: readonly [ResultColumn, ResultColumn],
  outcome: ScoreOutcome | undefined,
): ViewChange {
  return { columns: joinIds(columns), ...omitUndefined({ outcome }), sort: 'disagreement' };
}

function buildLeaderboard(
  { folder, rows: index, findCost }: EvaluationSource,
  { models }: EvaluationResults,
  { task, title, lines, columns, rows }: Overview,
): Leaderboard {
  const findColumn = (cell: Named) =>
    index?.findColumn({ ...getSetting(cell), model: cell.model, source: folder.name });
  const rankedRows = rankRows(rows);
  const areCompared = index !== undefined && rows.some((row) => findBest(row) !== undefined);
  const outcomes = areCompared ? COMPARED : [];
  const table: PageTable = {
    title,
    lines,
    names: 'Model',
    columns: [
      CONTEXT_COLUMN,
      ...columns,
      ...outcomes,
      ...(findCost === undefined ? [] : [{ title: 'cost', explanation: COST_EXPLANATION }]),
    ],
    rows: rankedRows.map((row) => {
      const { cell, cells } = row;
      const column = findColumn(cell);
      const best = findBest(row);
      return {
        name: cell.model,
        link: linkColumn(column),
        cells: [
          cell.context,
          ...cells.map((quantity) =>
            linkCell(quantity, (link) => listInstances(quantity.value, link, findColumn)),
          ),
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
  const cells = rows.map(({ cell }) => cell);
  return {
    task,
    table: foldSharedColumns(table),
    details: [
      buildTypeTable(task, rankedRows, findColumn),
      ...(task === 'inference' ? buildResultTables(cells) : []),
    ],
  };
}

/**
 * Moves contexts, counts and costs that all rows share into a line, so that the table fits beside the list. Counts that lead to some of a model's
 * instances, such as those of its missing scores, remain columns.
 */
function foldSharedColumns({ lines = [], columns, rows, ...table }: PageTable): PageTable {
  const sharedTexts = columns.map(({ range, group }, at) => {
    const [text, ...furtherTexts] = new Set(rows.map(({ cells }) => formatCell(cells[at] ?? '')));
    const isShared = rows.length > 1 && furtherTexts.length === 0;
    if (rows.some(({ cells }) => leadsToSome(cells[at]))) return undefined;
    return isShared && range === undefined && group === undefined ? text : undefined;
  });
  const isShown = (_: unknown, at: number) => sharedTexts[at] === undefined;
  const shared = columns.flatMap(({ title }, at) => {
    const text = sharedTexts[at];
    return text === undefined ? [] : [`${title} ${text}`];
  });
  return {
    ...table,
    lines: shared.length === 0 ? lines : [...lines, `The same in all rows: ${shared.join('; ')}`],
    columns: columns.filter(isShown),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter(isShown) })),
  };
}

/** Returns whether a cell leads to instances that the row's own link, which has all of them, does not select. */
function leadsToSome(cell: TableCell<ViewChange> | undefined): boolean {
  const { link = {} } = typeof cell === 'object' ? cell : {};
  return Object.keys(link).some((key) => key !== 'columns');
}

/** Builds the scores by type of instance. */
function buildTypeTable(task: Task, rows: Overview['rows'], findColumn: FindColumn): PageTable {
  const types = INSTANCE_TYPES.filter((type) => rows.some(({ cell }) => cell.by_type[type] !== undefined));
  return omitEqualCounts({
    title: `${MEASURES[task].title} by instance type`,
    names: 'Model',
    columns: [
      CONTEXT_COLUMN,
      ...types.map((type) => ({ title: type, explanation: TYPE_EXPLANATIONS[type] })),
    ],
    rows: rows.map(({ cell }) => ({
      name: cell.model,
      cells: [cell.context, ...types.map((type) => buildTypeCell(cell, type, findColumn(cell)))],
    })),
  });
}

const TYPE_EXPLANATIONS: Readonly<Record<InstanceType, string>> = {
  consistent: 'The preference of the context stayed the same in all sessions.',
  contrastive: 'A similar context has the opposite preference.',
  changing: 'The preference of the context changed during the sessions; the last one is right.',
};

const CONTEXT_COLUMN: TableColumn = {
  title: 'context',
  isText: true,
  explanation:
    'History that the model saw: all of it (full), the relevant sessions only (oracle), the context of a memory system, its own summaries, or none. With preference, it saw the true preference instead.',
};
const COST_EXPLANATION =
  "Cost of the model's own calls at list prices. Those of evaluators are in the costs below.";

function linkColumn(column: ResultColumn | undefined): ViewChange | undefined {
  return column === undefined ? undefined : { columns: joinIds([column]) };
}

/** Returns the rows by context, the best model of each first. */
function rankRows(rows: Overview['rows']): Overview['rows'] {
  return [...groupBy(rows, ({ cell }) => cell.context).values()].flatMap((contextRows) =>
    contextRows.toSorted((a, b) => (b.cells[0]?.value ?? -1) - (a.cells[0]?.value ?? -1)),
  );
}

type Named = Parameters<typeof getSetting>[0] & Pick<ResultCell, 'model'>;
type FindColumn = (cell: Named) => ResultColumn | undefined;

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
  const columns = joinIds([column]);
  if (state !== undefined) return { columns, ...(state === 'scored' ? {} : { failure: state }) };
  if (other === undefined) return { columns, sort: 'score' };
  const comparedColumn = findColumn({ ...cell, ...other });
  return comparedColumn === undefined ? undefined : linkOutcome([column, comparedColumn], undefined);
}

function buildTypeCell(
  cell: ResultCell,
  type: (typeof INSTANCE_TYPES)[number],
  column: ResultColumn | undefined,
): Quantity<ViewChange> {
  const quantity = toQuantity(
    getMainNumber(cell.by_type[type]).value,
    MEASURES[cell.task].form,
    countType(cell, type),
  );
  return column === undefined || quantity.value === null
    ? quantity
    : { ...quantity, link: { columns: joinIds([column]), type, sort: 'score' } };
}

/** Outcomes of an instance against the best model. */
const COMPARED = [
  {
    title: 'wins',
    key: 'win',
    explanation: 'Instances on which the model scored more than the best one of its context.',
  },
  { title: 'ties', key: 'tie', explanation: 'Instances on which it scored as much as the best one.' },
  { title: 'losses', key: 'loss', explanation: 'Instances on which it scored less than the best one.' },
] as const;

function buildOutcomeCell(
  index: ResultsIndex,
  column: ResultColumn | undefined,
  otherColumn: ResultColumn | undefined,
  outcome: (typeof COMPARED)[number]['key'],
): Quantity<ViewChange> {
  if (column === undefined || otherColumn === undefined) return { value: null, text: '' };
  const value = index.compare(column.number, otherColumn.number)[outcome];
  return value === 0 ? { value } : { value, link: linkOutcome([column, otherColumn], outcome) };
}
