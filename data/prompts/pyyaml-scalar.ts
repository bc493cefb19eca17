/**
 * Formats a string as PyYAML's `yaml.dump` writes it by default (80 columns, non-ASCII escaped): a value of the factor list, with the space
 * before it.
 * @param column the length of the line so far
 *
 * The steps are those of PyYAML, so that lines break at the same places. Two facts make them fewer: with non-ASCII escaped, everything but
 * printable ASCII and the newline is double-quoted; and every value has indent 4.
 */
export function formatYamlScalar(text: string, column: number): string {
  const characters = Array.from(text);
  const style = chooseStyle(text);
  if (style === 'plain') return foldText(characters, ' ', column);
  return style === 'single' ? formatSingleQuoted(characters, column) : formatDoubleQuoted(characters, column);
}

const WIDTH = 80;
/** Indent of a value's continuation lines. */
const MARGIN = '    ';

function chooseStyle(text: string): 'plain' | 'single' | 'double' {
  const onlyPrintable = /^[\n\x20-\x7e]*$/u.test(text);
  if (!onlyPrintable || / \n|\n /u.test(text)) return 'double';
  const plainAllowed =
    !/\n|^ | $/u.test(text) &&
    !/^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?: |$))/u.test(text) &&
    !/:(?: |$)| #/u.test(text) &&
    !OTHER_TYPES.some((pattern) => pattern.test(text));
  return plainAllowed ? 'plain' : 'single';
}

/** Plain scalars that would be read back as another type than a string (YAML 1.1, as PyYAML resolves it). */
const OTHER_TYPES: readonly RegExp[] = [
  // null, merge and value
  /^(?:|~|null|Null|NULL|<<|=)$/u,
  // bool
  /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/u,
  // int
  /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/u,
  // float
  /^[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?$/u,
  /^\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?$/u,
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/u,
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/u,
  // date and time
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]| +)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?: *(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?$/u,
];

/** Breaks the line as for plain scalars, but never at a space at either end; doubles every newline. */
function formatSingleQuoted(characters: readonly string[], column: number): string {
  const doubled = characters.flatMap((character) => (character === "'" ? ["''"] : [character]));
  return `${foldText(doubled, " '", column)}'`;
}

/** Breaks the line at a single space beyond the width. */
function foldText(characters: readonly string[], opener: string, startColumn: number): string {
  let output = opener;
  let column = startColumn + opener.length;
  let at = 0;
  while (at < characters.length) {
    const kind = characters[at];
    const end = kind === ' ' || kind === '\n' ? findRunEnd(characters, at, kind) : at + 1;
    const run = characters.slice(at, end).join('');
    const inside = at > 0 && end < characters.length;
    if (kind === '\n') {
      output += `\n${run}${MARGIN}`;
      column = MARGIN.length;
    } else if (run === ' ' && inside && column > WIDTH) {
      output += `\n${MARGIN}`;
      column = MARGIN.length;
    } else {
      output += run;
      column += run.length;
    }
    at = end;
  }
  return output;
}

function findRunEnd(characters: readonly string[], start: number, kind: string): number {
  let end = start;
  while (characters[end] === kind) end += 1;
  return end;
}

/**
 * Breaks the line beyond the width at a space or beside an escape. The broken line ends with a backslash, and a space at the beginning of
 * the next is escaped. `start` is the first character not written yet; right after an escape it is one ahead, so the width is one less
 * strict there.
 */
function formatDoubleQuoted(characters: readonly string[], startColumn: number): string {
  let output = ' "';
  let column = startColumn + output.length;
  let start = 0;
  for (const [at, character] of characters.entries()) {
    const escape = escapeOf(character);
    if (escape !== undefined) {
      const plainRun = characters.slice(start, at).join('');
      output += plainRun + escape;
      column += plainRun.length + escape.length;
      start = at + 1;
    }
    const mayFold = at > 0 && at < characters.length - 1 && (character === ' ' || start >= at);
    if (mayFold && column + (at - start) > WIDTH) {
      output += `${characters.slice(start, at).join('')}\\\n${MARGIN}`;
      column = MARGIN.length;
      start = Math.max(start, at);
      if (characters[start] === ' ') {
        output += '\\';
        column += 1;
      }
    }
  }
  return `${output}${characters.slice(start).join('')}"`;
}

function escapeOf(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code <= 0x7e && character !== '"' && character !== '\\') return undefined;
  const short = SHORT_ESCAPES.get(character);
  if (short !== undefined) return `\\${short}`;
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '0'],
  ['\x07', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\x1b', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\u0085', 'N'],
  ['\u00a0', '_'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);
