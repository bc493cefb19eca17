import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** A file of a pack; `absent` when there is none at any of the places; or what keeps it from being read, with the mend. */
export type PackFile =
  | { readonly path: string; readonly bytes: Uint8Array }
  | { readonly problem: string }
  | 'absent';

/** Reads the first of these files that is there. */
export async function readFirstFile(paths: readonly string[]): Promise<PackFile> {
  for (const path of paths) {
    try {
      return { path, bytes: await readFile(path) };
    } catch (error) {
      const code = systemCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        return {
          problem: `${path}: cannot be read (${code ?? String(error)}). Check that it is a readable file.`,
        };
      }
    }
  }
  return 'absent';
}

/** The text of a file. @throws TypeError when it is not UTF-8 */
export function utf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Parsers go on with an excerpt of the file. */
export function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

/** By shape, not by class: errors of Node's own may come from another realm. */
function systemCode(error: unknown): string | undefined {
  return z.object({ code: z.string() }).safeParse(error).data?.code;
}
