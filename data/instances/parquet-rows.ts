import type { AsyncBuffer, Compressors, FileMetaData } from 'hyparquet';
import type { DataFile } from './data-set';
import { notWhole, requireColumns } from './damage';
import type { ColumnNames, Row } from './row';
import { decoded } from './text';

/**
 * The rows of a Parquet file, whoever wrote it, with these columns; memory holds one row group at a time.
 * @throws DataError when a column is missing or the file is not whole.
 */
export async function* parquetRows(
  file: Pick<DataFile, 'path' | 'name'>,
  columns: ColumnNames,
): AsyncGenerator<Row> {
  const library = await libraries();
  let buffer: AsyncBuffer;
  let metadata: FileMetaData;
  try {
    buffer = await library.asyncBufferFromFile(file.path);
    metadata = await library.parquetMetadataAsync(buffer, { geoparquet: false });
  } catch (error) {
    throw await notWhole(file, 'Parquet', error);
  }
  requireColumns(
    file,
    columns,
    library.parquetSchema(metadata).children.map((child) => child.element.name),
  );
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    for (const [index, value] of (await readGroup(rowStart, rowEnd)).entries()) {
      yield { number: rowStart + index + 1, value };
    }
    rowStart = rowEnd;
  }

  async function readGroup(start: number, end: number): Promise<unknown[]> {
    try {
      return await library.parquetReadObjects({
        file: buffer,
        metadata,
        columns: [...columns],
        rowStart: start,
        rowEnd: end,
        compressors: library.compressors,
        parsers: { stringFromBytes: decodedIfAny },
      });
    } catch (error) {
      throw await notWhole(file, 'Parquet', error);
    }
  }
}

// Both are ES modules only.
async function libraries(): Promise<typeof import('hyparquet') & { readonly compressors: Compressors }> {
  const [hyparquet, { compressors }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ]);
  return { ...hyparquet, compressors };
}

function decodedIfAny(bytes: Uint8Array | undefined): string | Uint8Array | undefined {
  return bytes && decoded(bytes);
}
