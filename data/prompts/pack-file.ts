import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { findEntry, IrregularFile, readBytes } from '../store/own-file';
import { getErrorCode, isMissing } from '../store/system-error';

/** A file of a pack; `absent` if no place has it; or the reason why it cannot be read, with the remedy. */
type PackFile = { readonly path: string; readonly text: string } | { readonly problem: string } | 'absent';

export async function readFirstFile(folders: readonly string[], names: readonly string[]): Promise<PackFile> {
  const places = folders.flatMap((folder) => names.map((name) => ({ folder, path: join(folder, name) })));
  for (const { folder, path } of places) {
    try {
      const { size = 0 } = (await findEntry(path, folder)) ?? {};
      if (size > MAX_FILE_BYTES)
        return { problem: `${path}: has more than 250 KB, which is too long for a prompt. Shorten it.` };
      const bytes = await readBytes(path, folder, MAX_FILE_BYTES);
      if (!isUtf8(bytes)) return { problem: `${path}: not UTF-8. Save the file as UTF-8.` };
      return { path, text: new TextDecoder().decode(bytes) };
    } catch (error) {
      if (error instanceof IrregularFile) return { problem: error.message };
      if (!isMissing(error)) {
        return {
          problem: `${path}: cannot be read (${getErrorCode(error) ?? String(error)}). Check that it is a readable file.`,
        };
      }
    }
  }
  return 'absent';
}

/** Prompts and examples are sent to a model, so a larger file is a mistake. */
const MAX_FILE_BYTES = 250_000;
