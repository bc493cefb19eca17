import { pluralize } from '../../schemas/text/count-text';
import { openFile } from '../store/own-file';
import { findExceededLimit, type MachineLimit } from '../store/machine-limits';
import { getErrorCode } from '../store/system-error';
import { BadContent, TooMuchAtOnce } from './bounds';
import type { NamedFile } from '../store/named-file';
import { DataError, getReason } from '../store/data-error';
import { formatNames } from '../../schemas/text/value-text';
import { hasEncryptedColumns } from './encryption';
import { findFormat } from './formats';
import { listRepeatedColumns } from './repeated-columns';
import type { ColumnNames, FileColumn } from './row';

/** Builds the error for a file that cannot be read: because it is damaged, or because of a limit of this machine. */
export async function createDamageError(file: NamedFile, cause: unknown): Promise<DataError | MachineLimit> {
  if (cause instanceof DataError) return cause;
  const limit = findExceededLimit(cause);
  if (limit !== undefined) return limit;
  const format = findFormat(file.name) === 'arrow' ? 'Arrow' : 'Parquet';
  if (cause instanceof TooMuchAtOnce) {
    const parts = format === 'Parquet' ? 'row groups' : 'record batches';
    return new DataError(
      `${file.name} cannot be read (${cause.message}). Write it again with fewer rows in each of its ${parts}.`,
      { cause },
    );
  }
  // A library's own words are about its code. They are kept as the cause.
  const isKnownCause = cause instanceof BadContent || getErrorCode(cause) !== undefined;
  const reason = isKnownCause ? getReason(cause) : 'its content does not follow the format';
  const start = await readFirstBytes(file).catch(() => undefined);
  if (start === undefined) {
    return new DataError(
      `${file.name} cannot be read (${reason}). Check the path and the permission to read it.`,
      { cause },
    );
  }
  if (start === '') return new DataError(`${file.name} is empty: 0 bytes. Download or write it again.`);
  if (start.startsWith('version https://git-lfs')) {
    return new DataError(
      `${file.name} is a Git LFS pointer, not the data. Run "git lfs pull" in the clone, or give the data set's id on ` +
        'the Hub (OWNER/NAME) instead of the clone.',
    );
  }
  if (start.startsWith('PARE') || (format === 'Parquet' && (await hasEncryptedColumns(file)))) {
    return new DataError(`${file.name} is encrypted. Write it again without encryption.`, { cause });
  }
  const [, type] = UNSUPPORTED_TYPE.exec(getReason(cause)) ?? [];
  if (format === 'Arrow' && type !== undefined) {
    return new DataError(
      `${file.name} has a column of Arrow's type ${type}, which cannot be read. ` +
        'Write the table as Parquet, or this column with a plain type, such as list or text.',
      { cause },
    );
  }
  const begins = BEGINNINGS[format].some((bytes) => start.startsWith(bytes));
  return new DataError(
    begins
      ? `${file.name} begins as ${format} but is damaged or cut off (${reason}). Download or write it again.`
      : `${file.name} is not ${format === 'Arrow' ? 'an' : 'a'} ${format} file, although its name ends so. Rename it to what it is ` +
          '(.parquet, .jsonl, .arrow), or download or write it again.',
    { cause },
  );
}

/** Message of the library for a type of Arrow that it knows by name only. Damaged files have types without a name. */
const UNSUPPORTED_TYPE = /^Unrecognized type: "(?!undefined|NONE)(\w+)"/;

// Arrow has two forms, a file and a stream.
const BEGINNINGS = { Parquet: ['PAR1'], Arrow: ['ARROW1', '\xff\xff\xff\xff'] } as const;

async function readFirstBytes({ path, within }: NamedFile): Promise<string> {
  const handle = await openFile(path, within);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** @throws DataError naming every one of these columns that the file does not have, or has more than once. */
export function requireColumns(
  { name: file }: Pick<NamedFile, 'name'>,
  columns: ColumnNames,
  present: readonly FileColumn[],
): void {
  const names = present.map(({ name }) => name);
  const missing = columns.filter((column) => !names.includes(column));
  if (missing.length > 0) {
    throw new DataError(
      `${file} has no ${pluralize(missing.length, 'column')} ${missing.join(', ')}; ` +
        `it has ${names.length === 0 ? 'none' : formatNames(names)}. ` +
        'Rename or add columns to match those of CUPID.',
    );
  }
  const repeated = listRepeatedColumns(present.filter(({ name }) => columns.includes(name)));
  if (repeated.length > 0) {
    throw new DataError(
      `${file} has more than one column ${formatNames(repeated)}. Keep one of each name, and remove or rename the others.`,
    );
  }
}
