import { formatAmount } from './amount-text';
import { formatNumber } from './count-text';
import {
  formatCoefficient,
  formatInterval,
  formatPercent,
  formatProbability,
  formatScore,
  formatSigned,
  formatSignedInterval,
  type Interval,
  NOTHING,
} from './numbers';

/**
 * A table as data. A terminal, a page and Markdown render the same one; as JSON it is its own.
 * @template Link what leads to the instances behind a number
 */
export interface Table<Link = never> {
  /** Its name; absent where the text above names it. */
  readonly title?: string;
  /** Lines below the title that say what the numbers are. */
  readonly lines?: readonly string[];
  /** Title of the column with the rows' names; absent for none. */
  readonly names?: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow<Link>[];
  /** Lines below the table. */
  readonly notes?: readonly string[];
}

export interface TableColumn {
  readonly title: string;
  /** Title above all neighboring columns with the same group. */
  readonly group?: string;
  /** Meaning of its numbers, in a sentence. */
  readonly explanation?: string;
  /** Lowest and highest value that is possible; a page draws the values as bars. */
  readonly range?: readonly [low: number, high: number];
  /** True for texts, which are aligned left and may wrap. */
  readonly isText?: boolean;
}

/** A row with a cell for each column, or none in a row that only heads those below it. */
export interface TableRow<Link = never> {
  readonly name: string;
  /** Facts beside the name, such as counts. */
  readonly detail?: string;
  /** Steps by which it is indented below the rows that it belongs to: 0 to 2. */
  readonly depth?: number;
  readonly link?: Link | undefined;
  readonly cells: readonly TableCell<Link>[];
}

/** A text, or a number. */
export type TableCell<Link = never> = string | Quantity<Link>;

/** A number with what belongs to it. */
export interface Quantity<Link = never> {
  /** Null if it is unknown. */
  readonly value: number | null;
  /** How it is written; absent for a count. */
  readonly form?: NumberForm;
  /** True for a difference, which has a sign. */
  readonly isSigned?: boolean;
  /** Text that stands for the number, such as `best`. */
  readonly text?: string | undefined;
  /** 95 % interval; null if there is none. Absent in columns without intervals. */
  readonly interval?: Interval | null | undefined;
  /** Value that blind guesses would have. */
  readonly chance?: number | undefined;
  /** Instances that it rests on, where these differ from those of the row. */
  readonly n?: number | undefined;
  /** Distinguishes it from the others, such as `own data`. */
  readonly mark?: string | undefined;
  readonly link?: Link | undefined;
}

/** Stands for a number that nobody knows, where – would mean that there is none. */
export const UNKNOWN = 'unknown';

const FORMS = {
  count: (value) => (value === null || value === undefined ? NOTHING : formatNumber(value)),
  percent: formatPercent,
  share: formatPercent,
  score: formatScore,
  coefficient: formatCoefficient,
  probability: formatProbability,
  mean: (value) => value?.toFixed(1) ?? NOTHING,
  seconds: (value) => value?.toFixed(2) ?? NOTHING,
  usd: (value) => (value === null || value === undefined ? UNKNOWN : formatAmount(value, 'usd')),
} satisfies Record<string, (value: number | null | undefined) => string>;

/** How a number is written: `percent` is a share from 0 to 1 in a column of percentages, and `share` one among other numbers, with the sign. */
export type NumberForm = keyof typeof FORMS;

/** Units that are written behind a number; the others stand in the column's title, or there is none. */
const UNITS: Partial<Record<NumberForm, string>> = { share: ' %' };

function addUnit(text: string, form: NumberForm): string {
  return text === NOTHING ? text : `${text}${UNITS[form] ?? ''}`;
}

/** Formats a cell without its interval; – for an unknown number. */
export function formatCell(cell: TableCell<unknown>): string {
  if (typeof cell === 'string') return cell;
  const { value, form = 'count', isSigned = false, text } = cell;
  if (text !== undefined) return text;
  return addUnit(isSigned ? formatSigned(value, FORMS[form]) : FORMS[form](value), form);
}

/** Formats the interval of a cell; – if it is unknown, and nothing where it makes no sense. */
export function formatCellInterval(cell: TableCell<unknown>): string {
  if (typeof cell === 'string' || cell.interval === undefined) return '';
  const { interval, form = 'count', isSigned = false } = cell;
  const text = isSigned ? formatSignedInterval(interval, FORMS[form]) : formatInterval(interval, FORMS[form]);
  return addUnit(text, form);
}

/** Formats a column's title behind that of its group. */
export function formatColumnTitle({ title, group }: TableColumn): string {
  return group === undefined ? title : `${group}, ${title}`;
}

/** Builds a table of texts. @param titles those of the columns, that of the names first @param rows with the name first */
export function buildTextTable(
  [names = '', ...titles]: readonly string[],
  rows: readonly (readonly string[])[],
): Table {
  return {
    names,
    columns: titles.map((title) => ({ title })),
    rows: rows.map(([name = '', ...cells]) => ({ name, cells })),
  };
}

/** Builds the cell of a number; unknown if it is undefined. */
export function toQuantity(
  value: number | null | undefined,
  form: NumberForm = 'count',
  details: Pick<Quantity, 'isSigned' | 'interval' | 'n' | 'mark'> = {},
): Quantity {
  return { value: value ?? null, form, ...details };
}

/** Builds the cell of a number; `unknown` if it is undefined. */
export function toKnownQuantity(value: number | undefined, form: NumberForm, interval?: Interval): Quantity {
  return value === undefined ? { value: null, text: UNKNOWN } : toQuantity(value, form, { interval });
}

/** Builds the cell of a share with its interval; unknown if there is no figure. */
export function toShare(
  figure: { readonly share: number; readonly interval: Interval } | null | undefined,
): Quantity {
  return toQuantity(figure?.share, 'percent', { interval: figure?.interval ?? null });
}
