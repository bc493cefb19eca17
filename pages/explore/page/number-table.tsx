import { useState } from 'preact/hooks';
import type { CellView, TableView } from '../answers';
import { Badge, Paragraph, Text } from '../../parts/text';
import { clear, getQuery, usePlace, ViewLink } from '../../parts/address';

/** Renders a table of numbers, which link to the instances behind them. Columns with values can be sorted. */
export function NumberTable({ title, above, columns, rows }: TableView) {
  const [order, setOrder] = useState<Order>();
  return (
    <section>
      {title !== '' && (
        <h2>
          <Text text={title} />
        </h2>
      )}
      {above.length > 0 && <Paragraph kind="facts" text={above.join(' ')} />}
      <div class="scores" role="group" aria-label={title || above.join(' ')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((name, at) => (
                <Head
                  key={at}
                  name={name}
                  isNumber={at > 0}
                  direction={order?.column === at ? order.direction : undefined}
                  onSort={canSort(rows, at) ? () => setOrder(toggleOrder(order, at)) : undefined}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sortTableRows(rows, order).map((row) => (
              <tr key={row.map(({ text }) => text).join('\n')}>
                {row.map((cell, at) => (
                  <Cell key={at} cell={cell} isName={at === 0} span={row.length === 1 ? columns.length : 1} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
  readonly direction: Direction | undefined;
  readonly onSort: (() => void) | undefined;
}

function Head({ name, isNumber, direction, onSort }: HeadProps) {
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
    </th>
  );
}

function Cell({
  cell: { text, interval, to, mark },
  isName,
  span,
}: {
  readonly cell: CellView;
  readonly isName: boolean;
  readonly span: number;
}) {
  const { address } = usePlace();
  const content = (
    <>
      {to === undefined ? (
        <Text text={text.trim()} />
      ) : (
        // With a filter of before, the list would lack instances that the number counts.
        <ViewLink to={{ ...clear(getQuery(address)), from: '', ...to }}>
          <Text text={text} />
        </ViewLink>
      )}
      {interval !== undefined && interval !== '' && <span class="facts interval">{interval}</span>}
      {mark !== undefined && <Badge kind="warning">{mark}</Badge>}
    </>
  );
  // Names of steps are indented below that of their model.
  if (isName)
    return (
      <th scope="row" colSpan={span} class={text.startsWith(' ') ? 'indented' : ''}>
        {content}
      </th>
    );
  return <td class="number">{content}</td>;
}

function canSort(rows: TableView['rows'], column: number): boolean {
  return rows.length > 1 && rows.every((row) => row[column]?.value !== undefined);
}

/** Sorts descending first, then ascending, then not at all. */
function toggleOrder(order: Order | undefined, column: number): Order | undefined {
  if (order?.column !== column) return { column, direction: 'descending' };
  return order.direction === 'descending' ? { column, direction: 'ascending' } : undefined;
}

/** Returns the rows in order; unknown values come last. Cells with a name instead of a number are sorted by it. */
function sortTableRows(rows: TableView['rows'], order: Order | undefined): TableView['rows'] {
  if (order === undefined) return rows;
  const { column, direction } = order;
  const sign = direction === 'descending' ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [a[column], b[column]];
    if (typeof first?.value === 'number' && typeof second?.value === 'number')
      return sign * (first.value - second.value);
    if (typeof first?.value === 'number') return -1;
    if (typeof second?.value === 'number') return 1;
    return -sign * (first?.text ?? '').localeCompare(second?.text ?? '');
  });
}
