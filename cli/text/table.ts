export interface TableColumn {
  readonly title: string;
  /** Stands above all neighboring columns that have the same. */
  readonly group?: string;
}

/** The cells of a row, or a line across all columns. */
export type TableRow = readonly string[] | string;

/**
 * A table for a terminal, as lines without spaces at their ends: the columns' titles, then the rows. The first column is
 * aligned left, the others right; columns of one group stand closer together.
 * @param width where given, a row's first cell that would make the table wider stands on a line of its own above its row.
 */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const titles = columns.map(({ title }) => title);
  const room = width - totalWidth(layoutOf(columns, [titles, ...cellsOf(rows)].map(withoutFirst)));
  const fitting = rows.flatMap((row) => (typeof row === 'string' ? [row] : fittingRows(row, room)));
  const layout = layoutOf(columns, [titles, ...cellsOf(fitting)]);
  return [
    ...groupLines(layout),
    cellLine(titles, layout),
    ...fitting.map((row) => (typeof row === 'string' ? row : cellLine(row, layout))),
  ];
}

function cellsOf(rows: readonly TableRow[]): (readonly string[])[] {
  return rows.filter((row) => typeof row !== 'string');
}

function withoutFirst([, ...rest]: readonly string[]): string[] {
  return ['', ...rest];
}

function totalWidth({ columns }: Layout): number {
  return columns.reduce((total, { gap, width }) => total + gap + width, 0);
}

/** The row, or its first cell as a line and the rest of it beneath. */
function fittingRows(row: readonly string[], room: number): TableRow[] {
  const [first = ''] = row;
  return first.length <= room ? [row] : [first, withoutFirst(row)];
}

interface Layout {
  readonly columns: readonly { readonly gap: number; readonly width: number }[];
  readonly groups: readonly Group[];
}

/** Neighbouring columns under one title, by the places of the first and the last. */
interface Group {
  readonly title: string;
  readonly first: number;
  last: number;
}

function layoutOf(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): Layout {
  const groups = groupsOf(columns);
  const laid = columns.map((column, at) => ({
    gap: at === 0 ? 0 : sameGroup(column, columns[at - 1]) ? 1 : 2,
    width: Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  }));
  for (const group of groups) {
    const first = laid[group.first];
    // A title that is longer than all its columns widens the first, so that the numbers stay together.
    if (first !== undefined) first.width += Math.max(0, group.title.length - widthOf(group, laid));
  }
  return { columns: laid, groups };
}

function groupsOf(columns: readonly TableColumn[]): Group[] {
  const groups: Group[] = [];
  for (const [at, column] of columns.entries()) {
    const open = groups.at(-1);
    if (open !== undefined && sameGroup(column, columns[at - 1])) open.last = at;
    else if (column.group !== undefined) groups.push({ title: column.group, first: at, last: at });
  }
  return groups;
}

function sameGroup(column: TableColumn, before: TableColumn | undefined): boolean {
  return column.group !== undefined && column.group === before?.group;
}

/** Each group's title above its first column, and a rule to the end of its last; no line without groups. */
function groupLines({ columns, groups }: Layout): string[] {
  if (groups.length === 0) return [];
  let line = '';
  for (const group of groups) {
    const before = columns.slice(0, group.first + 1).reduce((end, { gap, width }) => end + gap + width, 0);
    line = line.padEnd(before - (columns[group.first]?.width ?? 0));
    const width = widthOf(group, columns);
    line += group.title.length + 2 > width ? group.title.padEnd(width) : `${group.title} `.padEnd(width, '─');
  }
  return [line.trimEnd()];
}

/** From the start of a group's first column to the end of its last. */
function widthOf({ first, last }: Group, columns: Layout['columns']): number {
  return columns
    .slice(first, last + 1)
    .reduce((total, { gap, width }, at) => total + width + (at === 0 ? 0 : gap), 0);
}

function cellLine(row: readonly string[], { columns }: Layout): string {
  return columns
    .map(({ gap, width }, at) => {
      const cell = row[at] ?? '';
      return at === 0 ? cell.padEnd(width) : cell.padStart(gap + width);
    })
    .join('')
    .trimEnd();
}
