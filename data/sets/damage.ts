import { open } from 'node:fs/promises';
import type { DataFile } from './data-set';
import { DataError, reasonOf, someOf } from './error';
import type { ColumnNames } from './row';

type Named = Pick<DataFile, 'path' | 'name'>;

/** The error for a file that could not be read as what its name says it is. */
export async function notWhole(file: Named, format: 'Parquet' | 'Arrow', cause: unknown): Promise<DataError> {
  const reason = reasonOf(cause);
  const start = await firstBytes(file.path).catch(() => undefined);
  if (start === undefined) {
    return new DataError(
      `${file.name} cannot be read (${reason}). Check the path and the permission to read it.`,
      { cause },
    );
  }
  if (start === '') return new DataError(`${file.name} is empty: 0 bytes. Download or write it again.`);
  if (start.startsWith('version https://git-lfs')) {
    return new DataError(
      `${file.name} is not the data but Git LFS's pointer to it. Fetch the data with "git lfs pull", or name the ` +
        "data set's id of the Hub instead of the clone.",
    );
  }
  const begins = BEGINNINGS[format].some((bytes) => start.startsWith(bytes));
  return new DataError(
    begins
      ? `${file.name} begins as ${format} but is damaged or cut off (${reason}). Download or write it again.`
      : `${file.name} is no ${format} file, whatever its name says (${reason}). Rename it to what it is ` +
          '(.parquet, .jsonl, .arrow), or download or write it again.',
    { cause },
  );
}

// Of Arrow, a file and a stream.
const BEGINNINGS = { Parquet: ['PAR1'], Arrow: ['ARROW1', '\xff\xff\xff\xff'] } as const;

async function firstBytes(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** @throws DataError naming every one of these columns that the file does not have. */
export function requireColumns(file: Named, columns: ColumnNames, present: readonly string[]): void {
  const missing = columns.filter((column) => !present.includes(column));
  if (missing.length === 0) return;
  throw new DataError(
    `${file.name} lacks ${missing.length === 1 ? 'the column' : 'the columns'} ${missing.join(', ')}; ` +
      `it has ${present.length === 0 ? 'none' : someOf(present)}. ` +
      'Rename or add columns, so that they are those of CUPID.',
  );
}
