import { CsvError, parse } from 'csv-parse/sync';
import { readBytes } from '../store/own-file';
import { createReadError, DataError, getReason } from '../store/data-error';
import { requireColumns } from './damage';
import type { ColumnNames, Row } from './row';
import { decodeText } from './text';

/**
 * Reads the rows of a CSV table by the names in its first row, numbered from 1 after that row. Empty lines are skipped, and Windows line
 * breaks become `\n`, within texts too. The whole file is in memory.
 * @param columns columns that it must have
 * @throws DataError when the file cannot be read or is not such a table
 */
export async function* readCsvRows(file: string, columns: ColumnNames): AsyncGenerator<Row> {
  let bytes: Buffer;
  try {
    bytes = await readBytes(file, undefined, MAX_BYTES);
  } catch (error) {
    throw createReadError(file, error);
  }
  const text = decodeText(bytes);
  if (typeof text !== 'string') {
    throw new DataError(`${file}: not UTF-8. Save the table as CSV in UTF-8.`);
  }
  let rows: unknown[];
  try {
    rows = parse(text.replaceAll('\r\n', '\n'), {
      columns: (header: readonly string[]) => parseHeader(file, header, columns),
      bom: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new DataError(
      `${file} is not comma-separated values: ${getReason(error)}. Put texts with commas, quotation marks or line breaks in quotation marks, and double those inside.`,
      { cause: error },
    );
  }
  yield* rows.map((value, index) => ({ number: index + 1, value }));
}

/** @throws DataError when a column is missing or repeated, or another separator is used */
function parseHeader(file: string, header: readonly string[], columns: ColumnNames): string[] {
  const names = header.map((name) => name.trim());
  const [separator] = /[;\t]/.exec(names.length === 1 ? (names[0] ?? '') : '') ?? [];
  if (separator !== undefined) {
    throw new DataError(
      `${file} is separated by ${separator === ';' ? 'semicolons' : 'tabs'}. Save the table with commas between its columns.`,
    );
  }
  // Spreadsheets write columns without a name after the last one.
  const present = names.filter((name) => name !== '').map((name) => ({ name, form: TEXT }));
  requireColumns({ name: file }, columns, present);
  return names;
}

const TEXT = { kind: 'text' } as const;

const MAX_BYTES = 64_000_000;
