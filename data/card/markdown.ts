/** Helpers for Markdown. */

import {
  formatCell,
  formatCellInterval,
  formatColumnTitle,
  type NumberForm,
  type Quantity,
  type Table,
  type TableCell,
  toQuantity,
} from '../../schemas/text/table';
import type { Interval } from '../../schemas/text/numbers';

export function renderBullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

export function renderMarkdownTable({ names = '', columns, rows }: Table<unknown>): string {
  const head = [names, ...columns.map(formatColumnTitle)];
  const texts = rows.map(({ name, cells }) => [name, ...cells.map(formatWithInterval)]);
  return [head, head.map(() => '---'), ...texts].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function formatWithInterval(cell: TableCell<unknown>): string {
  const interval = formatCellInterval(cell);
  return interval === '' ? formatCell(cell) : `${formatCell(cell)} (${interval})`;
}

/** Formats a name chosen by others as code, so that it cannot break out of a table cell. */
export function formatCode(text: string): string {
  return `\`${text.replaceAll(/[`|\s]+/g, ' ').trim()}\``;
}

/** Builds the cell of a number; `unknown` if there is none. */
export function toKnownQuantity(value: number | undefined, form: NumberForm, interval?: Interval): Quantity {
  return value === undefined ? { value: null, text: 'unknown' } : toQuantity(value, form, { interval });
}

export function formatDecimals(value: number | undefined, decimals: number): string {
  return value === undefined ? 'unknown' : value.toFixed(decimals);
}
