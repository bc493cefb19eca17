/** Helpers for Markdown. */

import {
  formatCell,
  formatCellInterval,
  formatColumnTitle,
  type Table,
  type TableCell,
  UNKNOWN,
} from '../../schemas/text/table';
import { listPresent } from '../../schemas/text/list-present';

export function renderBullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

export function renderMarkdownTable({ names = '', columns, rows }: Table<unknown>): string {
  const head = [names, ...columns.map(formatColumnTitle)];
  const texts = rows.map(({ name, cells }) => [name, ...cells.map(formatWithDetails)]);
  return [head, head.map(() => '---'), ...texts].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats a cell with its interval, its number of instances and its mark, as far as it has these. */
function formatWithDetails(cell: TableCell<unknown>): string {
  const { n, mark } = typeof cell === 'string' ? {} : cell;
  const interval = formatCellInterval(cell);
  const details = listPresent(interval !== '' && interval, n !== undefined && `n ${n}`, mark);
  return details.length === 0 ? formatCell(cell) : `${formatCell(cell)} (${details.join('; ')})`;
}

/** Formats a name chosen by others as code, so that it cannot break out of a table cell. */
export function formatCode(text: string): string {
  return `\`${text.replaceAll(/[`|\s]+/g, ' ').trim()}\``;
}

export function formatDecimals(value: number | undefined, decimals: number): string {
  return value === undefined ? UNKNOWN : value.toFixed(decimals);
}
