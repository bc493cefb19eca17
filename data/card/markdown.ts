/** Helpers for Markdown. */

import {
  formatCell,
  formatCellInterval,
  formatColumnTitle,
  type Table,
  type TableCell,
} from '../../schemas/text/table';

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

export function formatDecimals(value: number | undefined, decimals: number): string {
  return value === undefined ? 'unknown' : value.toFixed(decimals);
}
