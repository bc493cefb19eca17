import type { ComponentChild, ComponentChildren } from 'preact';
import { NOTHING } from '../../schemas/text/numbers';
import {
  formatCell,
  formatCellInterval,
  formatColumnTitle,
  type Table,
  type TableCell,
  type TableColumn,
  type TableRow,
} from '../../schemas/text/table';
import { Bar } from './bar';
import { Badge, Paragraph, Text, writeOutControls } from './text';

interface NumberTableProps<Link> {
  readonly table: Table<Link>;
  /** Text for screen readers before the title. */
  readonly label?: string | undefined;
  readonly renderLink?: RenderLink<Link>;
  /** Returns how a column is sorted, where the names are column 0; undefined for one that cannot be. */
  readonly getSorting?: (column: number) => ColumnSorting | undefined;
  /** Renders what explains a column; absent on pages where nothing opens. */
  readonly explain?: Explain;
  /** True if a narrow page shows each row as a card. */
  readonly areCards?: boolean;
}

type Explain = (title: string, explanation: string) => ComponentChild;

/** Renders a link around a name or a number. */
type RenderLink<Link> = (link: Link, content: ComponentChild) => ComponentChild;

interface ColumnSorting {
  readonly direction: SortDirection | undefined;
  readonly onSort: () => void;
}

export type SortDirection = 'descending' | 'ascending';

/** Renders a table of results, with its title as the caption and its notes below. */
export function NumberTable<Link>({
  table,
  label,
  renderLink,
  getSorting,
  explain,
  areCards = false,
}: NumberTableProps<Link>) {
  const { title, lines = [], names = '', columns, rows, notes = [] } = table;
  return (
    <>
      <div
        class="scroll"
        tabIndex={0}
        role="group"
        aria-label={writeOutControls([label, title ?? lines.join(' ')].filter(Boolean).join(': '))}
      >
        <table class={areCards ? 'numbers cards' : 'numbers'}>
          {(title !== undefined || lines.length > 0) && (
            <caption>
              {title !== undefined && <Text text={title} />}
              {lines.map((line) => (
                <span>
                  <Text text={line} />
                </span>
              ))}
            </caption>
          )}
          <thead>
            <GroupRow columns={columns} />
            <tr>
              {[{ title: names }, ...columns].map((column, at) => (
                <Head column={column} sorting={getSorting?.(at)} explain={explain} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row row={row} columns={columns} renderLink={renderLink} />
            ))}
          </tbody>
        </table>
      </div>
      {notes.map((note) => (
        <Paragraph kind="facts" text={note} />
      ))}
    </>
  );
}

/** Renders the titles of the groups, each above its columns. Nothing if there are none. */
function GroupRow({ columns }: { readonly columns: readonly TableColumn[] }) {
  if (columns.every(({ group }) => group === undefined)) return null;
  const groups: { title: string; span: number }[] = [{ title: '', span: 1 }];
  for (const { group = '' } of columns) {
    const last = groups.at(-1);
    if (last?.title === group) last.span += 1;
    else groups.push({ title: group, span: 1 });
  }
  return (
    <tr>
      {groups.map(({ title, span }) =>
        title === '' ? (
          <td colSpan={span} />
        ) : (
          <th class="group" scope="colgroup" colSpan={span}>
            <Text text={title} />
          </th>
        ),
      )}
    </tr>
  );
}

interface HeadProps {
  readonly column: TableColumn;
  readonly sorting: ColumnSorting | undefined;
  readonly explain: Explain | undefined;
}

function Head({ column, sorting, explain }: HeadProps) {
  const { title, isText = false, explanation } = column;
  if (title === '') return <td />;
  return (
    <th
      scope="col"
      class={isText ? 'text' : undefined}
      aria-sort={sorting?.direction}
      data-group={column.group}
    >
      {sorting === undefined ? (
        <Text text={title} />
      ) : (
        <button type="button" class="sort" onClick={sorting.onSort}>
          <Text text={title} />
          <span aria-hidden="true">
            {{ descending: ' ↓', ascending: ' ↑', none: '' }[sorting.direction ?? 'none']}
          </span>
        </button>
      )}
      {explanation !== undefined && explain?.(formatColumnTitle(column), explanation)}
    </th>
  );
}

interface TableRowProps<Link> {
  readonly renderLink: RenderLink<Link> | undefined;
  readonly row: TableRow<Link>;
  readonly columns: readonly TableColumn[];
}

function Row<Link>({
  row: { name, detail, depth = 0, link, cells },
  columns,
  renderLink,
}: TableRowProps<Link>) {
  const heads = cells.length === 0;
  const title = (
    <>
      {wrapLink(link, <Text text={name} />, renderLink)}
      {detail !== undefined && (
        <Aside>
          <Text text={detail} />
        </Aside>
      )}
    </>
  );
  return (
    <tr>
      {name === '' ? (
        <td />
      ) : (
        <th
          class={`depth-${Math.min(2, depth)}${heads ? ' line' : ''}`}
          scope={heads ? 'rowgroup' : 'row'}
          colSpan={heads ? columns.length + 1 : undefined}
        >
          {title}
        </th>
      )}
      {cells.map((cell, at) => (
        <Cell cell={cell} column={columns[at] ?? { title: '' }} renderLink={renderLink} />
      ))}
    </tr>
  );
}

interface CellProps<Link> {
  readonly renderLink: RenderLink<Link> | undefined;
  readonly cell: TableCell<Link>;
  readonly column: TableColumn;
}

/** Renders a cell. An attribute has the exact number, for programs. */
function Cell<Link>({ cell, column, renderLink }: CellProps<Link>) {
  const { value = null, link, mark, n, interval: bounds, chance } = typeof cell === 'string' ? {} : cell;
  const { isText = false, range } = column;
  const text = formatCell(cell);
  const interval = formatCellInterval(cell);
  const number = value === null ? <Text text={text} /> : <data value={value}>{text}</data>;
  return (
    <td
      class={[isText ? 'text' : '', text === '' ? 'blank' : ''].filter(Boolean).join(' ') || undefined}
      data-title={formatColumnTitle(column)}
    >
      {range !== undefined && value !== null && (
        <Bar value={value} interval={bounds} chance={chance} range={range} />
      )}
      {wrapLink(link, number, renderLink)}
      {interval !== '' && text !== NOTHING && <Aside>{interval}</Aside>}
      {n !== undefined && <Aside>n {n}</Aside>}
      {mark !== undefined && text !== NOTHING && <Badge kind="warning">{mark}</Badge>}
    </td>
  );
}

/** Renders facts beside a name or number. */
function Aside({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      {' '}
      <span class="facts interval">{children}</span>
    </>
  );
}

function wrapLink<Link>(
  link: Link | undefined,
  content: ComponentChild,
  renderLink: RenderLink<Link> | undefined,
): ComponentChild {
  return link === undefined || renderLink === undefined ? content : renderLink(link, content);
}
