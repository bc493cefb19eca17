import { getColumns } from './terminal/width';
import { wrapText } from './terminal/wrap';
import { escapeControls } from '../schemas/text/control-characters';
import { formatCount } from '../schemas/text/count-text';
import { quotePath } from '../schemas/text/shell-text';

/** A stream that a person or a program reads: a terminal, a pipe or a file. */
export type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'> & { readonly rows?: number };

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

/** Names commands as the user called this one. Messages say `cupid`, because only this place knows how it was. */
function nameCommands(text: string): string {
  return IS_UNDER_NPX ? text.replaceAll(CALLED, 'npx cupid $1') : text;
}

const IS_UNDER_NPX = process.env['npm_command'] === 'exec';

const CALLED =
  /(?<!npx )\bcupid (synth|eval|status|pause|resume|cancel|set|failures|replay|retry|verify|review|report|explore|validate|export|import|publish|worker|server|doctor|models|pull|push)\b/g;

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
  process.stdout.write(`${escapeControls(JSON.stringify(result, nameRunIn, indent))}\n`);
}

function nameRunIn(_field: string, value: unknown): unknown {
  return typeof value === 'string' ? nameRun(value) : value;
}

/** Prints a message for the user on standard error, apart from the result. */
export function printMessage(text: string): void {
  writeText(process.stderr, text);
}

/**
 * Writes a text and ends its line; on a terminal, wraps its prose. The linter lets nothing else in `cli/` write to a stream, except
 * `drawLines`.
 */
export function writeText(output: Output, text: string): void {
  const message = escapeControls(nameCommands(nameRun(text)));
  output.write(`${output.isTTY ? wrapProse(message, getColumns(output)) : message}\n`);
}

/** Wraps prose at spaces. Leaves columns and examples as they are, and commands in one piece, because they are copied. */
function wrapProse(text: string, width: number): string {
  const wrapLine = (line: string) =>
    line.length <= width || KEPT_LINE.test(line)
      ? [line]
      : wrapText(line.replaceAll(COPIED, hideSpaces), width).map((row) => row.replaceAll(HIDDEN, ' '));
  return text.split('\n').flatMap(wrapLine).join('\n');
}

/** A row of a table or list, or an example of a command. */
const KEPT_LINE = /\S {2,}\S|^\s*(?:\$ |--)/;
/** A command after a colon, to the end of its clause or sentence. */
const COPIED =
  /(?<=: )(?:cupid|npx|ssh|git|pip|temporal|rm|cp|ulimit|export|chmod) .+?(?=\.? \(|\. |, then |\.?$)/g;
const HIDDEN = '\0';

function hideSpaces(command: string): string {
  return command.replaceAll(' ', HIDDEN);
}

/**
 * Draws lines that are erased later, wrapped to the terminal's width. Returns the number of rows drawn, at most its height. If there are
 * more, the last row says so.
 * @param command prints them all
 */
export function drawLines(output: Output, lines: readonly string[], command?: string): number {
  const width = getColumns(output);
  // Rows that scrolled off the top of the terminal cannot be erased.
  const maxRows = Math.max(1, (output.rows || 24) - 1);
  const rows = lines.flatMap((line) => wrapRow(escapeControls(nameCommands(nameRun(line))), width));
  const visibleRows =
    rows.length <= maxRows
      ? rows
      : [...rows.slice(0, maxRows - 1), describeRemainder(rows.length - maxRows + 1, width, command)];
  output.write(visibleRows.map((row) => `${row}\n`).join(''));
  return visibleRows.length;
}

/** Describes the rows that are not drawn, in one row. */
function describeRemainder(count: number, width: number, command?: string): string {
  const remainder = `… and ${formatCount(count, 'more line')}`;
  const hint = command === undefined ? '' : escapeControls(nameCommands(` (${command})`));
  return remainder.length + hint.length <= width ? `${remainder}${hint}` : remainder;
}

/** Wraps a line into rows. A line break within a line would add a row that is never erased. */
function wrapRow(line: string, width: number): string[] {
  const text = line.replaceAll('\n', ' ');
  if (text.length <= width) return [text];
  const rows = wrapEvenly(text, width - 4).flatMap(
    (row) => row.match(new RegExp(`.{1,${width - 4}}`, 'gu')) ?? [''],
  );
  return rows.map((row, at) => (at === 0 ? row : `    ${row}`));
}

/** Wraps a text into as few lines as fit, of about the same length, so that no word stands alone on the last one. */
function wrapEvenly(text: string, width: number): string[] {
  const lines = wrapText(text, width);
  const narrower = width - 1;
  // A line that is one word can be no shorter.
  if (lines.some((line) => line.length > narrower && !line.trim().includes(' '))) return lines;
  const evenLines = wrapText(text, narrower);
  return evenLines.length > lines.length ? lines : wrapEvenly(text, narrower);
}

export function eraseRows(output: Output, rows: number): void {
  // The cursor goes to the first column, because the terminal writes ^C wherever it is.
  if (rows > 0) output.write(`\r\u001B[${rows}A\u001B[J`);
}
