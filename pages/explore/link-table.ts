import type { Table, TableCell } from '../../schemas/text/table';
import type { PageTable, ViewChange } from './answers';

/** Replaces the links of a table by those of the page. @param toView returns undefined for a number without instances behind it */
export function linkTable<Link>(
  { rows, ...table }: Table<Link>,
  toView: (link: Link) => ViewChange | undefined,
): PageTable {
  return {
    ...table,
    rows: rows.map(({ link, cells, ...row }) => ({
      ...row,
      link: link && toView(link),
      cells: cells.map((cell) => linkCell(cell, toView)),
    })),
  };
}

/** Replaces the link of a cell by that of the page. */
export function linkCell<Link>(
  cell: TableCell<Link>,
  toView: (link: Link) => ViewChange | undefined,
): TableCell<ViewChange> {
  if (typeof cell === 'string') return cell;
  const { link, ...quantity } = cell;
  return { ...quantity, link: link && toView(link) };
}
