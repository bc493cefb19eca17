import { escapeControls } from '../schemas/text/control-characters';

/** A stream that a person or a program reads: a terminal, a pipe or a file. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

/** Prints a command's result on standard output. */
export function print(text: string): void {
  writeText(process.stdout, text);
}

/** Prints a command's result: as JSON with `--json`, else as text. */
export function printResult(
  { json }: { readonly json?: true },
  result: unknown,
  render: () => string | readonly string[],
): void {
  print(json === true ? JSON.stringify(result, null, 2) : [render()].flat().join('\n'));
}

/** Prints a message for the user on standard error, apart from the result. */
export function printMessage(text: string): void {
  writeText(process.stderr, text);
}

/** Writes a text and ends its line. The linter lets nothing else in `cli/` write to a stream, except `drawLines`. */
export function writeText(output: Output, text: string): void {
  output.write(`${escapeControls(text)}\n`);
}

/** Draws lines that are erased later, each cut to the terminal's width. Returns the number of rows drawn. */
export function drawLines(output: Output, lines: readonly string[]): number {
  const width = Math.max(20, (output.columns || 80) - 1);
  // A line break within a line would add a row that is never erased.
  const shown = lines.map((line) => escapeControls(line).replaceAll('\n', ' ').slice(0, width));
  output.write(shown.map((line) => `${line}\n`).join(''));
  return shown.length;
}

export function eraseRows(output: Output, rows: number): void {
  // The cursor goes to the first column, because the terminal writes ^C wherever it is.
  if (rows > 0) output.write(`\r\u001B[${rows}A\u001B[J`);
}
