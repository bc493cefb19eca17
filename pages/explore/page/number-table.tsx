import { useState } from 'preact/hooks';
import {
  formatCell,
  formatCellInterval,
  formatColumnTitle,
  type TableCell,
  type TableColumn,
  type TableRow,
} from '../../../schemas/text/table';
import type { PageTable, ViewChange } from '../answers';
import { Badge, Paragraph, Text } from '../../parts/text';
import { Bar } from './bar';
import { Explanation } from './explanation';
import { clear, getQuery, usePlace, ViewLink } from '../../parts/address';

interface NumberTableProps {
  readonly table: PageTable;
  /** True if a narrow page shows each row as a card. */
  readonly areCards?: boolean;
}

/** Renders a table of numbers, which link to the instances behind them. Columns of numbers can be sorted. */
export function NumberTable({ table, areCards = false }: NumberTableProps) {
  const { title, lines, names = '', columns, rows, notes = [] } = table;
  const [order, setOrder] = useState<Order>();
  const heads = [names, ...columns.map(formatColumnTitle)];
  return (
    <section>
      {title !== '' && (
        <h2>
          <Text text={title} />
        </h2>
      )}
      {lines.length > 0 && <Paragraph kind="facts" text={lines.join(' ')} />}
      <div class="scores" role="group" aria-label={title || lines.join(' ')} tabIndex={0}>
        <table class={areCards ? 'cards' : ''}>
          <thead>
            <tr>
              {heads.map((name, at) => (
                <Head
                  key={at}
                  name={name}
                  isNumber={at > 0 && columns[at - 1]?.isText !== true}
                  explanation={columns[at - 1]?.explanation}
                  direction={order?.column === at ? order.direction : undefined}
                  onSort={canSort(rows, at) ? () => setOrder(toggleOrder(order, at)) : undefined}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sortTableRows(rows, order).map((row, at) => (
              <Row key={`${at} ${row.name}`} row={row} columns={columns} />
            ))}
          </tbody>
        </table>
      </div>
      {notes.length > 0 && <Paragraph kind="facts" text={notes.join(' ')} />}
    </section>
  );
}

type Direction = 'descending' | 'ascending';
interface Order {
  readonly column: number;
  readonly direction: Direction;
}

interface HeadProps {
  readonly name: string;
  readonly isNumber: boolean;
  readonly explanation: string | undefined;
  readonly direction: Direction | undefined;
  readonly onSort: (() => void) | undefined;
}

function Head({ name, isNumber, explanation, direction, onSort }: HeadProps) {
  if (name === '') return <td />;
  return (
    <th scope="col" class={isNumber ? 'number' : ''} aria-sort={direction}>
      {onSort === undefined ? (
        name
      ) : (
        <button type="button" class="sort" onClick={onSort}>
          {name}
          <span aria-hidden="true">
            {{ descending: ' ↓', ascending: ' ↑', none: '' }[direction ?? 'none']}
          </span>
        </button>
      )}
      {explanation !== undefined && <Explanation name={name} text={explanation} />}
    </th>
  );
}

function Row({
  row: { name, detail, depth = 0, link, cells },
  columns,
}: {
  readonly row: TableRow<ViewChange>;
  readonly columns: readonly TableColumn[];
}) {
  return (
    <tr>
      <th
        scope="row"
        colSpan={cells.length === 0 ? columns.length + 1 : 1}
        class={`depth-${Math.min(2, depth)}`}
      >
        <Linked link={link} text={name} />
        {detail !== undefined && <span class="facts interval">{detail}</span>}
      </th>
      {cells.map((cell, at) => (
        <Cell key={at} cell={cell} column={columns[at]} />
      ))}
    </tr>
  );
}

function Cell({
  cell,
  column,
}: {
  readonly cell: TableCell<ViewChange>;
  readonly column: TableColumn | undefined;
}) {
  const { link, mark, n, value = null, interval: bounds, chance } = typeof cell === 'string' ? {} : cell;
  const text = formatCell(cell);
  const interval = formatCellInterval(cell);
  return (
    <td
      class={`${column?.isText === true ? '' : 'number'} ${text === '' ? 'blank' : ''}`}
      data-title={column && formatColumnTitle(column)}
    >
      {column?.range !== undefined && value !== null && (
        <Bar value={value} interval={bounds} chance={chance} range={column.range} />
      )}
      <Linked link={link} text={text} />
      {interval !== '' && <span class="facts interval">{interval}</span>}
      {n !== undefined && <span class="facts interval">n {n}</span>}
      {mark !== undefined && <Badge kind="warning">{mark}</Badge>}
    </td>
  );
}

function Linked({ link, text }: { readonly link: ViewChange | undefined; readonly text: string }) {
  const { address } = usePlace();
  if (link === undefined) return <Text text={text} />;
  return (
    // With a filter of before, the list would lack instances that the number counts.
    <ViewLink to={{ ...clear(getQuery(address)), from: '', ...link }}>
      <Text text={text} />
    </ViewLink>
  );
}

/** Returns whether a column can be sorted: rows stand for themselves, and their cells are numbers or names. */
function canSort(rows: PageTable['rows'], column: number): boolean {
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
function sortTableRows(rows: PageTable['rows'], order: Order | undefined): PageTable['rows'] {
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
