import {
  formatCell,
  formatCellInterval,
  type Table,
  type TableCell,
  type TableColumn,
  type TableRow,
} from '../../schemas/text/table';
import { html, type Html } from './html';

/** Renders a table with its title as the caption. @param label what a screen reader says before the title */
export function renderHtmlTable(
  { title, lines, names = '', columns, rows, notes = [] }: Table<unknown>,
  label = '',
): Html {
  const caption =
    title === ''
      ? ''
      : html`<caption>
          ${title}${lines.map((line) => html`<span>${line}</span>`)}
        </caption>`;
  return html`<div
      class="scroll"
      tabindex="0"
      role="group"
      aria-label="${[label, title].filter(Boolean).join(': ')}"
    >
      <table>
        ${caption}
        <thead>
          ${renderHead([{ title: names }, ...columns])}
        </thead>
        <tbody>
          ${rows.map((row) => renderRow(row, columns))}
        </tbody>
      </table>
    </div>
    ${renderNotes(notes)} `;
}

/** Renders tables beside each other, as many as fit. */
export function renderTables(tables: readonly Table<unknown>[], label: string): Html {
  return html`<div class="beside">
    ${tables.map((table) => html`<div>${renderHtmlTable(table, label)}</div>`)}
  </div> `;
}

/** Renders contents that unfold when a reader selects their summary. Printed pages show them in full. */
export function renderFold(summary: Html | string, contents: readonly Html[]): Html {
  return html`<details class="printed">
    <summary>${summary}</summary>
    ${contents}
  </details> `;
}

/** Renders sentences for use below a table or figure. */
export function renderNotes(lines: readonly string[]): Html {
  return html`${lines.map((line) => html`<p class="notes">${line}</p> `)}`;
}

function renderHead(columns: readonly TableColumn[]): Html {
  const groups: { title: string; span: number }[] = [];
  for (const { group = '' } of columns) {
    const last = groups.at(-1);
    if (last?.title === group) last.span += 1;
    else groups.push({ title: group, span: 1 });
  }
  const titles = html`<tr>
    ${columns.map(({ title, isText = false }) =>
      title === '' ? html`<td></td>` : html`<th scope="col" class="${isText ? 'text' : ''}">${title}</th>`,
    )}
  </tr>`;
  if (groups.every(({ title }) => title === '')) return titles;
  const headerCells = groups.map(({ title, span }) =>
    title === ''
      ? html`<td colspan="${span}"></td>`
      : html`<th class="group" scope="colgroup" colspan="${span}">${title}</th>`,
  );
  return html`<tr>
      ${headerCells}
    </tr>
    ${titles}`;
}

function renderRow(
  { name, detail, depth = 0, cells }: TableRow<unknown>,
  columns: readonly TableColumn[],
): Html {
  const facts = detail === undefined ? '' : html` <span class="quiet">${detail}</span>`;
  const indent = `indent-${Math.min(2, depth)}`;
  if (cells.length === 0) {
    return html`<tr>
      <th class="line ${indent}" scope="rowgroup" colspan="${columns.length + 1}">${name}${facts}</th>
    </tr> `;
  }
  return html`<tr>
    ${name === '' ? html`<td></td>` : html`<th scope="row" class="${indent}">${name}${facts}</th>`}${cells.map(
      (cell, at) => renderCell(cell, columns[at] ?? { title: '' }),
    )}
  </tr> `;
}

/** Renders a cell. An attribute has the exact number, for programs. */
function renderCell(cell: TableCell<unknown>, { isText = false }: TableColumn): Html {
  const text = formatCell(cell);
  const { value = null, mark, n } = typeof cell === 'string' ? {} : cell;
  const interval = formatCellInterval(cell);
  return html`<td class="${isText ? 'text' : ''}">
    ${mark === undefined || value === null ? '' : '*'}${value === null ? text : html`<data value="${value}">${text}</data>`}${
      interval === '' ? '' : html` <span class="quiet">${interval}</span>`
    }${n === undefined ? '' : html` <span class="quiet">n ${n}</span>`}
  </td>`;
}
