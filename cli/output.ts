import { escapeControls } from '../schemas/text/control-characters';

/** A stream that a person or a program reads: a terminal, a pipe or a file. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

/** Prints a command's result: on standard output, where programs read it too. */
export function print(text: string): void {
  writeText(process.stdout, text);
}

/** Prints a command's result: as JSON where that is asked for, else as a person reads it. */
export function printResult(
  { json }: { readonly json?: true },
  result: unknown,
  render: () => string | readonly string[],
): void {
  print(json === true ? JSON.stringify(result, null, 2) : [render()].flat().join('\n'));
}

/** Prints a message for the person at the terminal: on standard error, beside the result. */
export function printMessage(text: string): void {
  writeText(process.stderr, text);
}

/** Writes a text and ends its line. The linter lets nothing else in `cli/` write to a stream, except `drawLines`. */
export function writeText(output: Output, text: string): void {
  output.write(`${escapeControls(text)}\n`);
}

/** Draws lines that are to be erased again, each cut to the terminal's width. Returns how many rows they take. */
export function drawLines(output: Output, lines: readonly string[]): number {
  const width = Math.max(20, (output.columns || 80) - 1);
  // A line break within a line would add a row that is never erased.
  const shown = lines.map((line) => escapeControls(line).replaceAll('\n', ' ').slice(0, width));
  output.write(shown.map((line) => `${line}\n`).join(''));
  return shown.length;
}

export function eraseRows(output: Output, rows: number): void {
  // From the first column: the terminal itself writes ^C wherever the cursor is.
  if (rows > 0) output.write(`\r\u001B[${rows}A\u001B[J`);
}
