/** Pieces of Markdown. */

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Names that others chose, so that they cannot break out of a table's cell. */
export function code(text: string): string {
  return `\`${text.replaceAll(/[`|\s]+/g, ' ').trim()}\``;
}

/** With so many decimals. */
export function fixed(value: number | undefined, decimals: number): string {
  return value === undefined ? 'unknown' : value.toFixed(decimals);
}
