import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { formatCell, type TableCell, type TableRow } from '../../../schemas/text/table';
import { Explanation } from '../../parts/explanation';
import { NumberTable, type SortDirection } from '../../parts/table';
import type { PageTable, ViewChange } from '../answers';
import { ListLink } from './list-link';

interface LinkedTableProps {
  readonly table: PageTable;
  /** True if a narrow page shows each row as a card. */
  readonly areCards?: boolean;
}

/** Renders a table of numbers, which link to the instances behind them. Columns of numbers can be sorted. */
export function LinkedTable({ table, areCards }: LinkedTableProps) {
  const [order, setOrder] = useState<Order>();
  return (
    <NumberTable
      table={{ ...table, rows: sortTableRows(table.rows, order) }}
      areCards={areCards ?? false}
      explain={(title, text) => <Explanation name={title} text={text} />}
      renderLink={(link: ViewChange, content: ComponentChild) => <ListLink to={link}>{content}</ListLink>}
      getSorting={(column) =>
        canSort(table.rows, column)
          ? {
              direction: order?.column === column ? order.direction : undefined,
              onSort: () => setOrder(toggleOrder(order, column)),
            }
          : undefined
      }
    />
  );
}

interface Order {
  readonly column: number;
  readonly direction: SortDirection;
}

type PageRows = PageTable['rows'];

/** Returns whether a column can be sorted: rows stand for themselves, and their cells are numbers or names. */
function canSort(rows: PageRows, column: number): boolean {
  return (
    rows.length > 1 &&
    rows.every(
      ({ depth = 0, cells }) => depth === 0 && cells.some((cell) => getNumber(cell) !== undefined),
    ) &&
    (column === 0 || rows.every(({ cells }) => cells[column - 1] !== ''))
  );
}

/** Sorts descending first, then ascending, then not at all. */
function toggleOrder(order: Order | undefined, column: number): Order | undefined {
  if (order?.column !== column) return { column, direction: 'descending' };
  return order.direction === 'descending' ? { column, direction: 'ascending' } : undefined;
}

/** Returns the rows in order; unknown values come last. Cells with a name instead of a number are sorted by it. */
function sortTableRows(rows: PageRows, order: Order | undefined): PageRows {
  if (order === undefined) return rows;
  const { column, direction } = order;
  const sign = direction === 'descending' ? -1 : 1;
  const getCell = ({ name, cells }: TableRow<ViewChange>) =>
    column === 0 ? name : (cells[column - 1] ?? '');
  return rows.toSorted((a, b) => {
    const [firstCell, secondCell] = [getCell(a), getCell(b)];
    const [first, second] = [getNumber(firstCell), getNumber(secondCell)];
    if (first !== undefined && second !== undefined) return sign * (first - second);
    if (first !== undefined) return -1;
    if (second !== undefined) return 1;
    return -sign * formatCell(firstCell).localeCompare(formatCell(secondCell));
  });
}

function getNumber(cell: TableCell<ViewChange> | undefined): number | undefined {
  return cell === undefined || typeof cell === 'string' ? undefined : (cell.value ?? undefined);
}
