import { parentPort } from 'node:worker_threads';
import { openFile } from '../../store/own-file';
import { decodeRows } from '../arrow/values';
import { listSchemaColumns } from '../arrow/columns';
import { Claims, ROWS_AT_ONCE } from '../bounds';
import { createDamageError, requireColumns } from '../damage';
import { findFormat } from '../formats';
import { openArrow } from './arrow';
import type { TableReply, TableRequest } from './messages';
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
    const handle = await openFile(file.path, file.within);
    try {
      const { size } = await handle.stat();
      const claims = new Claims(size);
      const table = await (findFormat(file.name) === 'arrow' ? openArrow(handle) : openParquet(handle, size));
      const summary = { columns: listSchemaColumns(table.schema), ...table.facts };
      requireColumns(
        file,
        columns,
        summary.columns.map(({ name }) => name),
      );
      yield { summary };
      for await (const batch of table.readBatches(columns, group)) {
        for (let from = 0; from < batch.numRows; from += ROWS_AT_ONCE) {
          yield { rows: decodeRows(batch.slice(from, from + ROWS_AT_ONCE), columns, claims) };
        }
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    // The library's memory may be in any state. The thread ends with the error.
    if (error instanceof Error && error.name === 'RuntimeError') throw error;
    yield { failure: (await createDamageError(file, error)).message };
  }
}
