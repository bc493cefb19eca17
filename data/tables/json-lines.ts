import { DataType, type Field, type Schema } from 'apache-arrow';
import { buildRecordBatches, type Rows } from './batches';
import type { Columns } from './columns';
import { writeChunks, type WrittenFile } from '../store/files';
import { computeMemoryBytes } from './memory-size';

/**
 * Writes a data set as JSON lines (UTF-8, a row a line, keys in the columns' order, null for what is absent), atomically; memory
 * holds one batch at a time. The same rows give the same bytes.
 * @throws RowError, and whatever the rows throw; the file is then as it was before.
 */
export async function writeJsonLines<Row extends object>(
  file: string,
  columns: Columns<Row>,
  rows: Rows<Row>,
): Promise<WrittenFile> {
  const count = { rows: 0, memoryBytes: 0 };
  const written = await writeChunks(file, encodeLines(columns, rows, count));
  return { ...count, ...written };
}

async function* encodeLines<Row extends object>(
  columns: Columns<Row>,
  rows: Rows<Row>,
  count: { rows: number; memoryBytes: number },
): AsyncGenerator<Uint8Array> {
  const taken: Row[] = [];
  // The batches check what the columns can hold, and report its size; a line is written once its row is in one.
  for await (const batch of buildRecordBatches(columns, recordRows(rows, taken))) {
    count.rows += batch.numRows;
    count.memoryBytes += computeMemoryBytes(batch, 'arrow');
    yield Buffer.from(
      taken
        .splice(0)
        .map((row) => `${JSON.stringify(pickFields(columns, row))}\n`)
        .join(''),
    );
  }
}

async function* recordRows<Row>(rows: Rows<Row>, taken: Row[]): AsyncGenerator<Row> {
  for await (const row of rows) {
    taken.push(row);
    yield row;
  }
}

function pickFields({ fields }: Pick<Schema, 'fields'>, row: object): object {
  return Object.fromEntries(
    fields.map(({ name, type }): [string, unknown] => [name, convertToPlain(type, Reflect.get(row, name))]),
  );
}

function convertToPlain(type: DataType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (DataType.isStruct(type) && typeof value === 'object')
    return pickFields({ fields: listFields(type) }, value);
  if (DataType.isList(type) && Array.isArray(value))
    return value.map((part) => convertToPlain(type.valueType, part));
  return value;
}

function listFields({ children }: { readonly children: Field[] }): Field[] {
  return children;
}
