import { escapeControls } from '../schemas/text/control-characters';
import { quotePath } from '../schemas/text/shell-text';

/** A stream that a person or a program reads: a terminal, a pipe or a file. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

/** Folder of the run that the command names; undefined if it names none. */
let runFolder: string | undefined;

/**
 * Sets the folder of the command's run. Messages that are stored with a run, such as the cause of a failure, have `RUN` in their commands,
 * because a run may be moved. It is replaced wherever they are printed.
 */
export function setRunFolder(folder: string | undefined): void {
  runFolder = folder;
}

/** Puts the folder in place of `RUN`, in commands with an option only, because texts of models are printed in the same way. */
function nameRun(text: string): string {
  if (runFolder === undefined) return text;
  const name = quotePath(runFolder);
  // A line may have been broken at any space.
  return text.replaceAll(
    /\b(cupid\s+(?:retry|set)\s+)RUN(?=\s+--)/g,
    (_, command: string) => `${command}${name}`,
  );
}

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
  if (json === true) printJson(result, 2);
  else print([render()].flat().join('\n'));
}

/**
 * Prints a result as JSON. Its texts are completed one by one, because a path in JSON is escaped.
 * @param indent of its lines; absent for a single line
 */
export function printJson(result: unknown, indent?: number): void {
  print(JSON.stringify(result, nameRunIn, indent));
}

function nameRunIn(_field: string, value: unknown): unknown {
  return typeof value === 'string' ? nameRun(value) : value;
}

/** Prints a message for the user on standard error, apart from the result. */
export function printMessage(text: string): void {
  writeText(process.stderr, text);
}

/** Writes a text and ends its line. The linter lets nothing else in `cli/` write to a stream, except `drawLines`. */
export function writeText(output: Output, text: string): void {
  output.write(`${escapeControls(nameRun(text))}\n`);
}

/** Draws lines that are erased later, each cut to the terminal's width. Returns the number of rows drawn. */
export function drawLines(output: Output, lines: readonly string[]): number {
  const width = Math.max(20, (output.columns || 80) - 1);
  // A line break within a line would add a row that is never erased.
  const shown = lines.map((line) => escapeControls(nameRun(line)).replaceAll('\n', ' ').slice(0, width));
  output.write(shown.map((line) => `${line}\n`).join(''));
  return shown.length;
}

export function eraseRows(output: Output, rows: number): void {
  // The cursor goes to the first column, because the terminal writes ^C wherever it is.
  if (rows > 0) output.write(`\r\u001B[${rows}A\u001B[J`);
}
