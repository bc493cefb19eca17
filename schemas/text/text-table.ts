import {
  formatCell,
  formatCellInterval,
  type Table,
  type TableCell,
  type TableColumn,
  type TableRow,
} from './table';

/**
 * Renders a table for a terminal or a text file, with no trailing spaces: its title, the columns' titles, then the rows. Names are aligned left,
 * everything else right. Columns of one group stand closer together; an interval has a column of its own.
 * @param width a name that makes the table wider moves to a line of its own above its row; if the other columns are wider, intervals move below
 * their numbers; if that is not enough, the columns become several tables, one below the other, each with the names
 */
export function renderTable(
  { title, lines = [], names = '', columns, rows, notes = [] }: Table<unknown>,
  width = Number.POSITIVE_INFINITY,
): string[] {
  const splits = columns.map((column, at) =>
    splitColumn(
      column,
      rows.flatMap(({ cells }) => cells.slice(at, at + 1)),
    ),
  );
  const grid = layGrid(names, rows, splits);
  const stackedGrid = layGrid(names, rows, splits.map(stackInterval));
  const isStacked = !fits(grid, width) && fits(stackedGrid, width);
  return [
    ...(title === undefined ? [] : [title]),
    ...lines,
    ...(isStacked ? ['Below a number: its 95 % interval'] : []),
    ...renderGrid(isStacked ? stackedGrid : grid, width),
    ...notes,
  ];
}

interface Grid {
  readonly columns: readonly GridColumn[];
  readonly rows: readonly GridRow[];
}

type GridColumn = Pick<TableColumn, 'title' | 'group'>;

/** The texts of a row, or a line across all columns. */
type GridRow = readonly string[] | string;

interface ColumnPart {
  readonly column: GridColumn;
  readonly format: (cell: TableCell<unknown>) => string;
  /** Formats the text below it. */
  readonly formatBelow?: ColumnPart['format'];
}

function layGrid(
  names: string,
  rows: readonly TableRow<unknown>[],
  splits: readonly (readonly ColumnPart[])[],
): Grid {
  return {
    columns: [{ title: names }, ...splits.flatMap((parts) => parts.map(({ column }) => column))],
    rows: rows.flatMap((row) => layRow(row, splits)),
  };
}

/** Splits a column into its numbers, their intervals, and the instances that they rest on, as far as it has these. */
function splitColumn(
  { title, group }: TableColumn,
  cells: readonly TableCell<unknown>[],
): readonly ColumnPart[] {
  const makePart = (name: string, format: ColumnPart['format']): ColumnPart => ({
    column: group === undefined ? { title: name } : { title: name, group },
    format,
  });
  const isIn = (key: 'interval' | 'n') =>
    cells.some((cell) => typeof cell !== 'string' && cell[key] !== undefined);
  return [
    makePart(title, formatMarked),
    ...(isIn('interval') ? [makePart(INTERVAL_TITLE, formatCellInterval)] : []),
    ...(isIn('n')
      ? [makePart('n', (cell) => (typeof cell === 'string' || cell.n === undefined ? '' : `${cell.n}`))]
      : []),
  ];
}

const INTERVAL_TITLE = '95 %';

/** Returns the parts of a column with its interval below its number instead of beside it. */
function stackInterval([number, ...otherParts]: readonly ColumnPart[]): readonly ColumnPart[] {
  if (number === undefined) return [];
  const furtherParts = otherParts.filter(({ column }) => column.title !== INTERVAL_TITLE);
  const hasInterval = furtherParts.length < otherParts.length;
  return [hasInterval ? { ...number, formatBelow: formatCellInterval } : number, ...furtherParts];
}

function formatMarked(cell: TableCell<unknown>): string {
  const isMarked = typeof cell !== 'string' && cell.mark !== undefined && cell.value !== null;
  return `${isMarked ? '*' : ''}${formatCell(cell)}`;
}

/** Lays out a row. Its details stand on the line of its name, above its numbers, so that they widen no column. */
function layRow(
  { name, detail, depth = 0, cells }: TableRow<unknown>,
  splits: readonly (readonly ColumnPart[])[],
): GridRow[] {
  const indentedName = `${'  '.repeat(depth)}${name}`;
  if (cells.length === 0) return [detail === undefined ? indentedName : `${indentedName}: ${detail}`];
  const format = (write: (part: ColumnPart) => ColumnPart['format'] | undefined) =>
    cells.flatMap((cell, at) => (splits[at] ?? []).map((part) => write(part)?.(cell) ?? ''));
  const texts = format((part) => part.format);
  const textsBelow = format((part) => part.formatBelow);
  return [
    ...(detail === undefined ? [[indentedName, ...texts]] : [`${indentedName}: ${detail}`, ['', ...texts]]),
    ...(textsBelow.some((text) => text !== '') ? [['', ...textsBelow]] : []),
  ];
}

/** Lays out the columns without the rows' names, which may have lines of their own. */
function computeRestLayout({ columns, rows }: Grid): TableLayout {
  const titles = columns.map(({ title }) => title);
  return computeLayout(columns, [titles, ...listCells(rows)].map(dropFirst));
}

function fits(grid: Grid, width: number): boolean {
  return computeTotalWidth(computeRestLayout(grid)) + (grid.columns[0]?.title.length ?? 0) <= width;
}

function renderGrid(grid: Grid, width: number): string[] {
  const { columns, rows } = grid;
  const titles = columns.map(({ title }) => title);
  const restLayout = computeRestLayout(grid);
  const room = width - computeTotalWidth(restLayout);
  if (!fits(grid, width)) {
    const parts = divideColumns(columns, rows, restLayout, width);
    if (parts.length > 1)
      return parts.flatMap((part, at) => [
        ...(at === 0 ? [] : ['']),
        ...renderGrid(
          {
            columns: pick(columns, part),
            rows: pickCells(rows, part),
          },
          width,
        ),
      ]);
  }
  const fitting = rows.flatMap((row) => (typeof row === 'string' ? [row] : splitRow(row, room)));
  const layout = computeLayout(columns, [titles, ...listCells(fitting)]);
  return [
    ...groupLines(layout),
    renderCells(titles, layout),
    ...fitting.map((row) => (typeof row === 'string' ? row : renderCells(row, layout))),
  ];
}

/** Divides the columns among tables that fit. Each has the first column; a group stays together. Returns indexes of columns. */
function divideColumns(
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
  { columns: columnLayouts }: TableLayout,
  width: number,
): number[][] {
  const longest = Math.max(
    ...listCells(rows).map(([first = '']) => first.length),
    columns[0]?.title.length ?? 0,
  );
  // A longer first cell gets a line of its own.
  const firstWidth = Math.min(longest, Math.floor(width / 3));
  const parts: number[][] = [];
  let usedWidth = Number.POSITIVE_INFINITY;
  for (const [at, column] of columns.entries()) {
    if (at === 0 || (at > 1 && isSameGroup(column, columns[at - 1]))) continue;
    const unit = [at];
    while (isSameGroup(column, columns[at + unit.length])) unit.push(at + unit.length);
    const unitWidth = unit.reduce(
      (sum, index) => sum + (columnLayouts[index]?.gap ?? 0) + (columnLayouts[index]?.width ?? 0),
      0,
    );
    if (usedWidth + unitWidth > width) {
      parts.push([0]);
      usedWidth = firstWidth;
    }
    parts.at(-1)?.push(...unit);
    usedWidth += unitWidth;
  }
  return parts;
}

/** Returns these cells of each row. Leaves out rows without any, and an empty line that no row would follow. */
function pickCells(rows: readonly GridRow[], part: readonly number[]): GridRow[] {
  const pickedRows = rows
    .map((row) => (typeof row === 'string' ? row : pick(row, part)))
    .filter((row) => typeof row === 'string' || dropFirst(row).some((cell) => cell !== ''));
  return pickedRows.slice(0, pickedRows.findLastIndex((row) => row !== '') + 1);
}

function pick<T>(items: readonly T[], indexes: readonly number[]): T[] {
  return indexes.flatMap((index) => items.slice(index, index + 1));
}

function listCells(rows: readonly GridRow[]): (readonly string[])[] {
  return rows.filter((row) => typeof row !== 'string');
}

function dropFirst([, ...laterLines]: readonly string[]): string[] {
  return ['', ...laterLines];
}

function computeTotalWidth({ columns }: TableLayout): number {
  return columns.reduce((total, { gap, width }) => total + gap + width, 0);
}

/** Returns the row, or its first cell as a line and the rest below it. */
function splitRow(row: readonly string[], room: number): GridRow[] {
  const [first = ''] = row;
  return first.length <= room ? [row] : [first, dropFirst(row)];
}

interface TableLayout {
  readonly columns: readonly { readonly gap: number; readonly width: number }[];
  readonly groups: readonly ColumnGroup[];
}

/** Neighboring columns under one title. `first` and `last` are column indexes. */
interface ColumnGroup {
  readonly title: string;
  readonly first: number;
  last: number;
}

function computeLayout(columns: readonly GridColumn[], rows: readonly (readonly string[])[]): TableLayout {
  const groups = buildGroups(columns);
  const columnLayouts = columns.map((column, at) => ({
    gap: at === 0 ? 0 : isSameGroup(column, columns[at - 1]) ? 1 : 2,
    width: Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  }));
  for (const group of groups) {
    const first = columnLayouts[group.first];
    // A title that is longer than all its columns widens the first, so that the numbers stay together.
    if (first !== undefined)
      first.width += Math.max(0, group.title.length - computeWidth(group, columnLayouts));
  }
  return { columns: columnLayouts, groups };
}

function buildGroups(columns: readonly GridColumn[]): ColumnGroup[] {
  const groups: ColumnGroup[] = [];
  for (const [at, column] of columns.entries()) {
    const open = groups.at(-1);
    if (open !== undefined && isSameGroup(column, columns[at - 1])) open.last = at;
    else if (column.group !== undefined) groups.push({ title: column.group, first: at, last: at });
  }
  return groups;
}

function isSameGroup(column: GridColumn, before: GridColumn | undefined): boolean {
  return column.group !== undefined && column.group === before?.group;
}

/** Renders the groups' titles, each above its columns and filled up with a rule. Returns no line without groups. */
function groupLines({ columns, groups }: TableLayout): string[] {
  if (groups.length === 0) return [];
  let line = '';
  for (const group of groups) {
    const before = columns.slice(0, group.first + 1).reduce((end, { gap, width }) => end + gap + width, 0);
    line = line.padEnd(before - (columns[group.first]?.width ?? 0));
    const width = computeWidth(group, columns);
    line += group.title.length + 2 > width ? group.title.padEnd(width) : `${group.title} `.padEnd(width, '─');
  }
  return [line.trimEnd()];
}

/** Computes the width of a group's columns in characters, gaps between them included. */
function computeWidth({ first, last }: ColumnGroup, columns: TableLayout['columns']): number {
  return columns
    .slice(first, last + 1)
    .reduce((total, { gap, width }, at) => total + width + (at === 0 ? 0 : gap), 0);
}

function renderCells(row: readonly string[], { columns }: TableLayout): string {
  return columns
    .map(({ gap, width }, at) => {
      const cell = row[at] ?? '';
      return at === 0 ? cell.padEnd(width) : cell.padStart(gap + width);
    })
    .join('')
    .trimEnd();
}
