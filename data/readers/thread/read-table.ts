import type { FileHandle } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import type { NamedFile } from '../../store/named-file';
import { findExceededLimit } from '../../store/machine-limits';
import { openFile } from '../../store/own-file';
import { decodeRows } from '../arrow/values';
import { listSchemaColumns } from '../arrow/columns';
import { Claims, ROWS_AT_ONCE } from '../bounds';
import { createDamageError, requireColumns } from '../damage';
import { findFormat } from '../formats';
import { openArrow } from './arrow';
import type { TableReply, TableRequest } from './messages';
import type { OpenTable } from './open-table';
import { openParquet } from './parquet';

/*
 * The thread that reads a Parquet or Arrow file. It answers one request at a time.
 */

if (parentPort === null) throw new Error('This file runs in a thread of its own.');
const port = parentPort;
let replies: AsyncGenerator<TableReply> | undefined;

port.on('message', (request: TableRequest) => void answer(request));

async function answer(request: TableRequest): Promise<void> {
  if (request.kind === 'open') {
    await replies?.return(undefined);
    replies = read(request);
  }
  const next = await replies?.next();
  port.postMessage(next?.value ?? { rows: undefined });
}

/** Opens a table and sends its summary, then its rows. */
async function* read({
  file,
  columns,
  group,
}: Extract<TableRequest, { readonly kind: 'open' }>): AsyncGenerator<TableReply> {
  try {
    const { table, sizeBytes } = await openTable(file);
    const claims = new Claims(sizeBytes);
    const summary = { columns: listSchemaColumns(table.schema), ...table.facts };
    requireColumns(file, columns, summary.columns);
    yield { summary };
    for await (const batch of table.readBatches(columns, group)) {
      for (let from = 0; from < batch.numRows; from += ROWS_AT_ONCE) {
        yield { rows: decodeRows(batch.slice(from, from + ROWS_AT_ONCE), columns, claims) };
      }
    }
  } catch (error) {
    await closeKept();
    // The library's memory may be in any state. The thread ends with the error, as with one that is not the file's.
    const isLimit = findExceededLimit(error) !== undefined;
    if (isLimit || (error instanceof Error && error.name === 'RuntimeError')) throw error;
    yield { failure: (await createDamageError(file, error)).message };
  } finally {
    // The reader of an Arrow file goes through it once, and has its last batch in memory.
    if (isArrow(file)) await closeKept();
  }
}

interface KeptTable {
  readonly path: string;
  /** Changes when the file is replaced or written. */
  readonly state: string;
  readonly sizeBytes: number;
  readonly handle: FileHandle;
  readonly table: OpenTable;
}

/** The file that was read last. Its row groups are often read one by one, and parsing its metadata takes longer than a group. */
let keptTable: KeptTable | undefined;

async function openTable(file: NamedFile): Promise<KeptTable> {
  const handle = await openFile(file.path, file.within);
  try {
    const { dev, ino, size, mtimeMs } = await handle.stat();
    const state = [dev, ino, size, mtimeMs].join(' ');
    if (keptTable?.path === file.path && keptTable.state === state) {
      await handle.close();
      return keptTable;
    }
    await closeKept();
    const table = await (isArrow(file) ? openArrow(handle) : openParquet(handle, size));
    keptTable = { path: file.path, state, sizeBytes: size, handle, table };
    return keptTable;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function isArrow({ name }: NamedFile): boolean {
  return findFormat(name) === 'arrow';
}

async function closeKept(): Promise<void> {
  const closed = keptTable;
  keptTable = undefined;
  await closed?.handle.close();
}
