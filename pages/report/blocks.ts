import type { TableColumn, TableRow } from '../../schemas/text/table';
import { html, type Html } from './html';
import type { ReportTable } from './tables/section';

/** Renders a table with the same contents as in a terminal. */
export function renderHtmlTable({ above, columns, rows, below = [] }: ReportTable, label: string): Html {
  const [first, ...furtherLines] = above;
  const caption =
    first === undefined
      ? ''
      : html`<caption>
          ${first}${furtherLines.map((line) => html`<span>${line}</span>`)}
        </caption>`;
  return html`<div
      class="scroll"
      tabindex="0"
      role="group"
      aria-label="${[label, first ?? ''].filter(Boolean).join(': ')}"
    >
      <table>
        ${caption}
        <thead>
          ${renderHead(columns)}
        </thead>
        <tbody>
          ${mergeRows(rows).map((row) => renderRow(row, columns.length))}
        </tbody>
      </table>
    </div>
    ${renderNotes(below)} `;
}

/** Renders tables beside each other, as many as fit. */
export function renderTables(tables: readonly ReportTable[], label: string): Html {
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

/** Renders a table of texts, which wrap. */
export function renderTextTable(
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] },
  label: string,
): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col" class="text">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((text) => html`<td class="text">${text}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
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
    ${columns.map(({ title }) => (title === '' ? html`<td></td>` : html`<th scope="col">${title}</th>`))}
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

/** Merges a line into the nameless row below it: a terminal has no room for long names in the table. */
function mergeRows(rows: readonly TableRow[]): TableRow[] {
  const mergedRows: TableRow[] = [];
  for (const row of rows) {
    const before = mergedRows.at(-1);
    if (typeof row !== 'string' && row[0] === '' && typeof before === 'string') {
      mergedRows[mergedRows.length - 1] = [before, ...row.slice(1)];
    } else mergedRows.push(row);
  }
  return mergedRows;
}

function renderRow(row: TableRow, width: number): Html {
  if (typeof row === 'string') {
    return html`<tr>
      <th class="line" scope="rowgroup" colspan="${width}">${row}</th>
    </tr> `;
  }
  const [name = '', ...cells] = row;
  // Indentation of a name in a terminal.
  const depth = /^ */.exec(name)?.[0].length ?? 0;
  const indent = `indent-${Math.min(2, depth >> 1)}`;
  const head =
    name === '' ? html`<td></td>` : html`<th scope="row" class="${indent}">${name.trimStart()}</th>`;
  return html`<tr>
    ${head}${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr> `;
}
