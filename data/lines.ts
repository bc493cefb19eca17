import { createReadStream } from 'node:fs';

/**
 * A file's lines without their line feeds, as bytes, so that one that is not UTF-8 can be named.
 * @param unreadable makes the error for a file that cannot be read, from what the system says
 */
export async function* linesOf(
  path: string,
  unreadable: (reason: string, cause: unknown) => Error,
): AsyncGenerator<Buffer> {
  let open: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path)) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        yield Buffer.concat([...open, chunk.subarray(from, at)]);
        open = [];
        from = at + 1;
      }
      open.push(chunk.subarray(from));
    }
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error), error);
  }
  yield Buffer.concat(open);
}

const NEWLINE = 0x0a;
