import { readBlocks } from '../store/own-file';
import { createReadError, DataError } from '../store/data-error';
import type { NamedFile } from '../store/named-file';
import { decodeText } from './text';

/**
 * Reads a file's lines without their line feeds, as bytes, so that one that is not UTF-8 can be named. Memory holds one line, of at most 64
 * MB.
 * @throws DataError when the file cannot be read
 */
export async function* readLines({ path, name, within }: NamedFile): AsyncGenerator<Buffer> {
  let open: Buffer[] = [];
  let openBytes = 0;
  let number = 1;
  try {
    for await (const chunk of readBlocks(path, within)) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        yield Buffer.concat([...open, chunk.subarray(from, at)]);
        open = [];
        openBytes = 0;
        number += 1;
        from = at + 1;
      }
      open.push(chunk.subarray(from));
      openBytes += chunk.length - from;
      if (openBytes > MAX_LINE_BYTES) throw new Error(`line ${number} is longer than 64 MB`);
    }
  } catch (error) {
    throw createReadError(name, error);
  }
  yield Buffer.concat(open);
}

/**
 * Yields the lines of a text that are not blank, trimmed, each with its number from 1.
 * @param remedy for a file that is no text
 */
export async function* readTextLines(file: string, remedy: string): AsyncGenerator<[number, string]> {
  let row = 0;
  for await (const bytes of readLines({ path: file, name: file })) {
    row += 1;
    const line = decodeText(bytes);
    if (typeof line !== 'string') throw new DataError(`${file}, row ${row}: not UTF-8. ${remedy}`);
    // `trim` also removes a byte order mark.
    if (line.trim() !== '') yield [row, line.trim()];
  }
}

const NEWLINE = 0x0a;
/** Maximum size of a line, or of an item of a JSON list. */
export const MAX_LINE_BYTES = 64_000_000;
