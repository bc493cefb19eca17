import { readBlocks } from '../store/own-file';
import { readListItems } from './json-list';
import { readLines } from './lines';
import type { NamedFile } from '../store/named-file';
import { createReadError, DataError } from '../store/data-error';
import { formatValue } from '../../schemas/text/value-text';
import type { Row } from './row';
import { decodeText } from './text';

/** A line or an item of a list that is not JSON; the rows around it can still be read. */
export interface BadLine {
  readonly number: number;
  readonly problem: string;
}

/**
 * Reads the rows of a `.json` file, which may be JSON lines or one list. Memory holds one row at a time.
 * @throws DataError when the file cannot be read, or its list is not whole
 */
export async function* readJson(file: NamedFile): AsyncGenerator<Row | BadLine> {
  if (!(await isJsonList(file))) {
    yield* readJsonLines(file);
    return;
  }
  let number = 0;
  for await (const bytes of readListItems(file)) {
    number += 1;
    const text = decodeText(bytes);
    yield typeof text === 'string' ? parseJsonLine(text.trim(), number) : { number, problem: NOT_UTF8 };
  }
}

/** Returns whether the first character, after a byte order mark and blanks, begins a list. */
async function isJsonList({ path, name, within }: NamedFile): Promise<boolean> {
  try {
    for await (const chunk of readBlocks(path, within)) {
      // U+FEFF counts as a blank.
      const [first] = chunk.toString().trimStart();
      if (first !== undefined) return first === '[';
    }
  } catch (error) {
    throw createReadError(name, error);
  }
  return false;
}

/**
 * Reads the rows of a file of JSON lines, one object a line. Blank lines are skipped. Memory holds one line at a time.
 * @throws DataError when the file cannot be read or is one JSON list.
 */
export async function* readJsonLines(file: NamedFile): AsyncGenerator<Row | BadLine> {
  let number = 0;
  let first = true;
  for await (const bytes of readLines(file)) {
    number += 1;
    const line = decodeText(bytes);
    if (typeof line !== 'string') {
      yield { number, problem: NOT_UTF8 };
      continue;
    }
    const text = (number === 1 ? line.replace(/^\uFEFF/, '') : line).trim();
    if (text === '') continue;
    if (first && text.startsWith('[')) {
      throw new DataError(
        `${file.name} begins with "[", so it is one JSON list. Rename it to .json, or write one JSON object per line (JSON Lines).`,
      );
    }
    first = false;
    yield parseJsonLine(text, number);
  }
}

const NOT_UTF8 = 'not UTF-8. Decompress the file if it is compressed, and save it as UTF-8.';

export function parseJsonLine(line: string, number: number): Row | BadLine {
  if (isNestedDeeply(line)) {
    return {
      number,
      problem: `lists and objects are nested deeper than ${MAX_DEPTH} levels. Use the columns of CUPID, which need 5.`,
    };
  }
  try {
    return { number, value: JSON.parse(line) };
  } catch {
    return {
      number,
      problem:
        `not JSON: ${formatValue(line)}. A row must be one complete JSON object. If the file is cut off, ` +
        'write or download it again.',
    };
  }
}

/** Detects deep nesting, which would overflow the stack of recursive readers. */
function isNestedDeeply(line: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (character === '"') inText = !inText;
    else if (inText) at += character === '\\' ? 1 : 0;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const MAX_DEPTH = 64;
