import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { z } from 'zod';

/** A file of a pack; `absent` when there is none at any of the places; or why it cannot be read, with the remedy. */
type PackFile = { readonly path: string; readonly text: string } | { readonly problem: string } | 'absent';

export async function readFirstFile(paths: readonly string[]): Promise<PackFile> {
  for (const path of paths) {
    try {
      const bytes = await readFirstBytes(path);
      if (bytes.length > MAX_FILE_BYTES)
        return { problem: `${path}: has more than 250 KB, which is too long for a prompt. Shorten it.` };
      if (!isUtf8(bytes)) return { problem: `${path}: not UTF-8. Save the file as UTF-8.` };
      return { path, text: new TextDecoder().decode(bytes) };
    } catch (error) {
      const code = getSystemCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        return {
          problem: `${path}: cannot be read (${code ?? String(error)}). Check that it is a readable file.`,
        };
      }
    }
  }
  return 'absent';
}

/** Prompts and examples are sent to a model, so they are short. */
const MAX_FILE_BYTES = 250_000;

/** A file's bytes, up to one more than it may have. */
async function readFirstBytes(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const parts: Buffer[] = [];
    for await (const part of handle.createReadStream({ end: MAX_FILE_BYTES, autoClose: false }))
      parts.push(Buffer.from(part));
    return Buffer.concat(parts);
  } finally {
    await handle.close();
  }
}

/** By shape, not by class: errors of Node's own may come from another realm. */
function getSystemCode(error: unknown): string | undefined {
  return z.object({ code: z.string() }).safeParse(error).data?.code;
}
