import type { Figure } from '../charts/figure';
import type { Table, TableCell } from '../../schemas/text/table';
import { NumberTable } from './table';
import { Text } from './text';

/** Renders figures beside each other, as many as fit. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  if (figures.length === 0) return null;
  return (
    <div class="beside">
      {figures.map((figure) => (
        <FigureBlock figure={figure} />
      ))}
    </div>
  );
}

/** Renders a chart, and its numbers as a table and a file. */
export function FigureBlock({ figure }: { readonly figure: Figure }) {
  const { name, title, note, drawing, width = 'half', legend = [], rows } = figure;
  return (
    <figure class={width}>
      <figcaption>
        <strong>
          <Text text={title} />.
        </strong>{' '}
        <Text text={note.replaceAll(' %', '\u00A0%')} />
      </figcaption>
      {legend.length > 0 && (
        <ul class="legend">
          {legend.map((key) => (
            <li>
              <Drawing svg={key.drawing} isHidden />
              <Text text={key.name} />
            </li>
          ))}
        </ul>
      )}
      <Drawing svg={drawing} />
      <details>
        <summary>Numbers of this chart ({rows.length})</summary>
        <p>
          <a
            download={`${name}.csv`}
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(renderCsv(figure))}`}
          >
            Download {name}.csv
          </a>
        </p>
        <NumberTable table={buildTable(figure)} label={`${title}: numbers`} />
      </details>
    </figure>
  );
}

interface DrawingProps {
  readonly svg: string;
  /** True for one whose meaning the text beside it states. */
  readonly isHidden?: boolean;
}

/** Inserts a drawing as markup. This program drew it, with all names escaped (`Pen`), and the page's policy lets nothing in it run. */
function Drawing({ svg, isHidden = false }: DrawingProps) {
  return (
    <span
      class="drawing"
      aria-hidden={isHidden ? 'true' : undefined}
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}

/** Builds the table of the numbers, with four decimals. */
function buildTable({ columns: [names = '', ...titles], rows }: Figure): Table {
  return {
    names,
    columns: titles.map((title, at) => ({
      title,
      isText: rows.every((row) => typeof row[at + 1] === 'string'),
    })),
    rows: rows.map(([name = null, ...values]) => ({
      name: typeof name === 'number' ? formatRounded(name) : (name ?? ''),
      cells: values.map((value): TableCell =>
        typeof value === 'number' ? { value, text: formatRounded(value) } : (value ?? { value }),
      ),
    })),
  };
}

function formatRounded(value: number): string {
  return `${Number(value.toFixed(4))}`;
}

function renderCsv({ columns, rows }: Figure): string {
  const lines = [columns, ...rows].map((row) => row.map((value) => quoteCsv(`${value ?? ''}`)).join(','));
  // A URL cannot have halves of surrogate pairs.
  return `${lines.join('\r\n')}\r\n`.toWellFormed();
}

function quoteCsv(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
