/** Helpers for Markdown. */

export function renderBullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

export function renderMarkdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats a name chosen by others as code, so that it cannot break out of a table cell. */
export function formatCode(text: string): string {
  return `\`${text.replaceAll(/[`|\s]+/g, ' ').trim()}\``;
}

export function formatDecimals(value: number | undefined, decimals: number): string {
  return value === undefined ? 'unknown' : value.toFixed(decimals);
}
