import { linesOf } from '../lines';
import type { DataFile } from './data-set';
import { DataError, reasonOf } from './error';
import type { Row } from './row';
import { decoded } from './text';

/** A line that is no JSON; the rows around it can still be read. */
export interface BadLine {
  readonly number: number;
  readonly problem: string;
}

/**
 * The rows of a file of JSON lines, one object a line; blank lines are skipped. Memory holds one line at a time.
 * @throws DataError when the file cannot be read or is one JSON list.
 */
export async function* jsonLines(file: Pick<DataFile, 'path' | 'name'>): AsyncGenerator<Row | BadLine> {
  let number = 0;
  let first = true;
  for await (const bytes of linesOf(file.path, (reason, cause) => unreadable(file.name, reason, cause))) {
    number += 1;
    const line = decoded(bytes);
    if (typeof line !== 'string') {
      yield { number, problem: 'not UTF-8. Unpack the file if it is compressed, and save it as UTF-8.' };
      continue;
    }
    const text = (number === 1 ? line.replace(/^\uFEFF/, '') : line).trim();
    if (text === '') continue;
    if (first && text.startsWith('[')) {
      throw new DataError(
        `${file.name} begins with "[": one JSON list. Write one JSON object a line instead (JSON lines).`,
      );
    }
    first = false;
    yield parsed(text, number);
  }
}

function parsed(line: string, number: number): Row | BadLine {
  try {
    return { number, value: JSON.parse(line) };
  } catch (error) {
    return {
      number,
      problem:
        `not JSON (${reasonOf(error)}). Each line must be one whole JSON object; a cut last line means that the file ` +
        'was not written or downloaded to its end.',
    };
  }
}

function unreadable(name: string, reason: string, cause: unknown): DataError {
  return new DataError(`${name} cannot be read (${reason}). Check the path and the permission to read it.`, {
    cause,
  });
}
