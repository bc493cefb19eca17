import type { AsyncBuffer, ColumnMetaData, RowGroup, SchemaTree } from 'hyparquet';
import { BadContent, type Claims } from '../bounds';
import { createColumnError, createDamageError } from '../damage';
import type { ColumnNames } from '../row';
import { decodeText } from '../text';
import { canCut, ColumnCutter } from './column-cutter';
import { ColumnReader } from './column-reader';
import type { OpenParquet } from './file';

export interface ParquetGroup {
  readonly rows: number;
  /** Rows of the file that stand before its own. */
  readonly before: number;
  /** All rows at once. @throws DataError when they are not whole */
  read(claims: Claims): Promise<unknown[]>;
  /**
   * All rows, those of a large row group in parts, so that memory holds one part: pandas puts all rows of a file into one row group. A row
   * group is not parted where its encodings or its values of one bit do not allow it.
   * @param partRows rows of a part, by their size unless given
   * @throws DataError when they are not whole
   */
  readParts(claims: Claims, partRows?: number): AsyncGenerator<unknown[]>;
}

/** @param before rows of the file that stand before the group's own */
export function openGroup(
  file: OpenParquet,
  group: RowGroup,
  before: number,
  columns: ColumnNames,
): ParquetGroup {
  const { library, buffer, metadata } = file;
  const rows = Number(group.num_rows);
  const what = `the row group from row ${before + 1} on`;
  const chunks = group.columns.flatMap((chunk) => {
    const { meta_data: about } = chunk;
    const [name] = about?.path_in_schema ?? [];
    return about !== undefined && name !== undefined && columns.includes(name) ? [{ name, about }] : [];
  });
  return { rows, before, read, readParts };

  function read(claims: Claims): Promise<unknown[]> {
    return explain(async () => {
      claims.begin(rows, what);
      for (const { name, about } of chunks) {
        await explainColumn(name, async () => {
          const reader = openColumn(file, about);
          while ((await reader.readPage(claims)) !== undefined);
        });
      }
      return readRows(buffer, group, claims);
    });
  }

  async function* readParts(claims: Claims, partRows = computePartRows()): AsyncGenerator<unknown[]> {
    if (partRows >= rows || !chunks.every(({ about }) => canCut(about.type, about.encodings))) {
      yield await read(claims);
      return;
    }
    const cutters = new Map<string, ColumnCutter>();
    for (let from = 0; from < rows; from += partRows) {
      const count = Math.min(partRows, rows - from);
      yield await explain(async () => {
        claims.begin(count, what);
        const part = await cutPart(cutters, count, claims);
        return readRows(part.buffer, part.group, claims);
      });
    }
  }

  function computePartRows(): number {
    const sizeBytes = chunks.reduce((sum, { about }) => sum + Number(about.total_uncompressed_size), 0);
    return Math.max(MIN_PART_ROWS, Math.ceil((rows * PART_BYTES) / sizeBytes));
  }

  /** A file in memory with a row group of the next rows only. */
  async function cutPart(
    cutters: Map<string, ColumnCutter>,
    count: number,
    claims: Claims,
  ): Promise<{ readonly buffer: AsyncBuffer; readonly group: RowGroup }> {
    // The library takes the place 0 for none.
    const parts: Uint8Array[] = [Buffer.from('PAR1')];
    let size = 4;
    const columnsOfPart: RowGroup['columns'] = [];
    for (const { name, about } of chunks) {
      await explainColumn(name, async () => {
        const path = about.path_in_schema.join('.');
        const cutter = cutters.get(path) ?? new ColumnCutter(openColumn(file, about));
        cutters.set(path, cutter);
        const { dictionary, pages } = await cutter.cutRows(count, claims);
        const { dictionary_page_offset: _, ...others } = about;
        const dataFrom = size + dictionary.length;
        const end = pages.reduce((sum, { length }) => sum + length, dataFrom);
        const meta_data = {
          ...others,
          ...(dictionary.length > 0 && { dictionary_page_offset: BigInt(size) }),
          data_page_offset: BigInt(dataFrom),
          total_compressed_size: BigInt(end - size),
        };
        columnsOfPart.push({ file_offset: 0n, meta_data });
        parts.push(dictionary, ...pages);
        size = end;
      });
    }
    const whole = Buffer.concat(parts);
    return {
      buffer: {
        byteLength: size,
        slice: (from, to = size) => whole.buffer.slice(whole.byteOffset + from, whole.byteOffset + to),
      },
      group: { ...group, num_rows: BigInt(count), columns: columnsOfPart },
    };
  }

  async function readRows(from: AsyncBuffer, of: RowGroup, claims: Claims): Promise<unknown[]> {
    const values = await library.parquetReadObjects({
      file: from,
      // With all row groups, the library would go through them again for each.
      metadata: { ...metadata, row_groups: [of] },
      columns: [...columns],
      compressors: library.compressors,
      parsers: { stringFromBytes: decodeIfPresent, jsonFromBytes: decodeIfPresent },
    });
    claims.addRow(values);
    return values;
  }

  async function explain<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw await createDamageError(file, 'Parquet', error);
    }
  }

  async function explainColumn(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw createColumnError(name, what, error);
    }
  }
}

/** Unpacked bytes that are read at once, as far as rows can be parted so. */
const PART_BYTES = 2_000_000;
const MIN_PART_ROWS = 100;

function openColumn({ library, buffer, schema }: OpenParquet, about: ColumnMetaData): ColumnReader {
  const { codec, type, path_in_schema: names } = about;
  const from = Number(about.dictionary_page_offset || about.data_page_offset);
  const end = from + Number(about.total_compressed_size);
  if (!(from >= 0 && end >= from && end <= buffer.byteLength)) throw new BadContent('a column is cut off');
  return new ColumnReader(
    buffer,
    { from, end, codec, type, path: findPath(schema, names) },
    library.compressors,
  );
}

/** From the root of the schema to a column. */
function findPath(schema: SchemaTree, names: readonly string[]): SchemaTree[] {
  const path = [schema];
  for (const name of names) {
    const next = path.at(-1)?.children.find(({ element }) => element.name === name);
    if (next === undefined) throw new BadContent('the schema does not have it');
    // Its parts may overlap, so that a few bytes hold any number of values.
    if (next.element.logical_type?.type === 'VARIANT')
      throw new BadContent('its type (VARIANT) is not one that can be read');
    path.push(next);
  }
  return path;
}

function decodeIfPresent(bytes: Uint8Array | undefined): string | Uint8Array | undefined {
  return bytes && decodeText(bytes);
}
