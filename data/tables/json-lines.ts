import type { RecordBatch } from 'apache-arrow';
import { decodeValues } from '../readers/arrow/values';
import { Claims } from '../readers/bounds';
import type { WrittenFile } from '../store/files';
import { writeBatches, type Rows } from './batches';
import type { Columns } from './columns';

/**
 * Writes a data set as JSON lines (UTF-8, a row a line, keys in the columns' order, null for absent values), atomically. Memory holds one
 * batch at a time, and the same rows give the same bytes.
 * @throws RowError, and any error of the rows; the file then stays unchanged
 */
export async function writeJsonLines<Row extends object>(
  file: string,
  columns: Columns<Row>,
  rows: Rows<Row>,
): Promise<WrittenFile> {
  return writeBatches(file, columns, rows, encodeLines);
}

/**
 * Writes a data set as one JSON list, otherwise as `writeJsonLines` does, for scripts that use `json.load`.
 * @throws RowError, and any error of the rows; the file then stays unchanged
 */
export async function writeJsonList<Row extends object>(
  file: string,
  columns: Columns<Row>,
  rows: Rows<Row>,
): Promise<WrittenFile> {
  return writeBatches(file, columns, rows, encodeList);
}

async function* encodeLines(batches: AsyncIterable<RecordBatch>): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    yield Buffer.from(
      encodeRows(batch)
        .map((row) => `${row}\n`)
        .join(''),
    );
  }
}

async function* encodeList(batches: AsyncIterable<RecordBatch>): AsyncGenerator<Uint8Array> {
  let separator = '[\n';
  for await (const batch of batches) {
    const rows = encodeRows(batch);
    if (rows.length === 0) continue;
    yield Buffer.from(separator + rows.join(',\n'));
    separator = ',\n';
  }
  yield Buffer.from(separator === ',\n' ? '\n]\n' : '[]\n');
}

function encodeRows(batch: RecordBatch): string[] {
  return decodeValues(batch.data, new Claims(Infinity)).map((row) => JSON.stringify(row, convertWhole));
}

/** Converts whole numbers, which Arrow holds in 64 bits. */
function convertWhole(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
