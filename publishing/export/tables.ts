import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeArrow } from '../../data/tables/arrow';
import { withFiles } from '../../data/card/dataset-info';
import { withCanary } from '../../data/card/edit';
import { renderFrontMatter } from '../../data/card/front-matter';
import type { WrittenFile } from '../../data/store/files';
import { buildMarks, MANIFEST, type Marks } from '../../data/marks/marks';
import { PROVENANCE } from '../../data/folders/choose';
import { readWholeProvenance } from '../../data/sets/provenance';
import { PROVENANCE_COLUMNS } from '../../data/tables/columns';
import { CARD } from '../../data/folders/folder';
import { writeJsonLines, writeJsonList } from '../../data/tables/json-lines';
import { writeParquet } from '../../data/tables/parquet';
import { writeTextPart } from '../../data/store/new-folder';
import { copyFile } from '../../data/store/store';
import type { WrittenPart } from '../../schemas/dataset/export';
import type { TableFormat } from '../../schemas/dataset/export-format';
import type { Provenance } from '../../schemas/dataset/provenance';
import type { Split } from '../../schemas/dataset/split';
import type { ExportSource } from './source';

/** Size of a Parquet shard's rows in memory. The library `datasets` splits at the same size. */
export const SHARD_BYTES = 500_000_000;

/**
 * Writes a data set as one table, with its card, which names the files and their sizes, and its provenance when it has one. A
 * data set without a card gets one that says so.
 * @param shardBytes of Parquet: at most this many bytes of text in a file, unless one row has more
 * @param complete adds to the card, given the paths of the files
 */
export async function writeTable<Row extends object>(
  folder: string,
  format: TableFormat,
  source: ExportSource<Row>,
  shardBytes: number,
  complete: (card: string, paths: readonly string[]) => string = (card) => card,
): Promise<{ readonly rows: number; readonly parts: WrittenPart[] }> {
  const { pattern, files } = await WRITERS[format](folder, source, shardBytes);
  const card = withFiles(finishCard(source), source.columns, {
    path: pattern,
    rows: sumFiles(files, 'rows'),
    bytes: sumFiles(files, 'bytes'),
    memoryBytes: sumFiles(files, 'memoryBytes'),
  });
  return {
    rows: sumFiles(files, 'rows'),
    parts: [
      ...files.map(({ path, rows, bytes }) => ({ path, files: 1, rows, bytes })),
      await writeTextPart(folder, CARD, complete(card, [pattern])),
      ...(format === 'jsonl' || format === 'json' ? [await writeManifest(folder, source, files)] : []),
      ...(source.provenance === undefined
        ? []
        : [await writeProvenance(source.provenance, folder, source.keeps)]),
    ],
  };
}

/** Finishes the card of a source whose rows were read. */
export function finishCard<Row extends object>(source: Omit<ExportSource<Row>, 'rows' | 'columns'>): string {
  const text = source.card ?? renderMinimalCard(source.simulated === true);
  return withCanary(source.finishCard?.(text) ?? text, source.canary);
}

/** Writes the marks of a data set beside its JSON, with the files that they concern. */
async function writeManifest(folder: string, marks: Marks, files: TableFiles['files']): Promise<WrittenPart> {
  const listed = files.map(({ path, rows, bytes, sha256 }) => ({ path, rows, bytes, sha256 }));
  return writeTextPart(
    folder,
    MANIFEST,
    `${JSON.stringify({ ...buildMarks(marks), files: listed }, null, 2)}\n`,
  );
}

interface TableFiles {
  /** As a card names them. */
  readonly pattern: string;
  readonly files: readonly (WrittenFile & { readonly path: string })[];
}

const WRITERS = {
  parquet: <Row extends object>(folder: string, source: ExportSource<Row>, shardBytes: number) =>
    writeShards(folder, 'test', source, shardBytes),
  arrow: <Row extends object>(folder: string, source: ExportSource<Row>) =>
    writeOne(folder, 'test.arrow', source, writeArrow),
  jsonl: <Row extends object>(folder: string, source: ExportSource<Row>) =>
    writeOne(folder, 'test.jsonl', source, writeJsonLines),
  json: <Row extends object>(folder: string, source: ExportSource<Row>) =>
    writeOne(folder, 'test.json', source, writeJsonList),
} as const;

async function writeOne<Row extends object>(
  folder: string,
  path: string,
  source: ExportSource<Row>,
  write: typeof writeArrow<Row>,
): Promise<TableFiles> {
  const file = await write(join(folder, path), source.columns, source.rows(), source);
  return { pattern: path, files: [{ path, ...file }] };
}

/**
 * Writes the shards of a split under the Hub's names, such as `data/test-00000-of-00002.parquet`. They are renamed in the end, when their number is
 * known.
 */
export async function writeShards<Row extends object>(
  folder: string,
  split: Split,
  source: Pick<ExportSource<Row>, 'columns' | 'rows' | keyof Marks>,
  shardBytes: number,
): Promise<TableFiles> {
  await mkdir(join(folder, 'data'), { recursive: true });
  const shards: WrittenFile[] = [];
  const unnamed = (index: number) => join(folder, 'data', `${index}.parquet`);
  for await (const shard of splitIntoShards(source.rows(), shardBytes)) {
    shards.push(await writeParquet(unnamed(shards.length), source.columns, shard, source));
  }
  const files: TableFiles['files'][number][] = [];
  for (const [index, file] of shards.entries()) {
    const path = `data/${split}-${formatDigits(index)}-of-${formatDigits(shards.length)}.parquet`;
    await rename(unnamed(index), join(folder, path));
    files.push({ path, ...file });
  }
  return { pattern: `data/${split}-*`, files };
}

function formatDigits(number: number): string {
  return String(number).padStart(5, '0');
}

export function sumFiles(files: TableFiles['files'], field: 'rows' | 'bytes' | 'memoryBytes'): number {
  return files.reduce((sum, file) => sum + file[field], 0);
}

/** Writes the provenance of the rows. It is a copy when all rows are kept. */
async function writeProvenance(
  from: string,
  folder: string,
  keeps: ExportSource<never>['keeps'],
): Promise<WrittenPart> {
  if (keeps === undefined) return copyPart(from, folder, PROVENANCE);
  const { rows, bytes } = await writeParquet(
    join(folder, PROVENANCE),
    PROVENANCE_COLUMNS,
    selectProvenance(from, keeps),
  );
  return { path: PROVENANCE, files: 1, rows, bytes };
}

async function* selectProvenance(
  from: string,
  keeps: NonNullable<ExportSource<never>['keeps']>,
): AsyncGenerator<Provenance> {
  for await (const row of readWholeProvenance(from)) if (keeps(row)) yield row;
}

async function copyPart(from: string, folder: string, path: string): Promise<WrittenPart> {
  const file = join(folder, path);
  await copyFile(from, dirname(from), file);
  return { path, files: 1, bytes: (await stat(file)).size };
}

/** Renders the card of data that came without one. */
function renderMinimalCard(simulated: boolean): string {
  const front = renderFrontMatter({
    tags: [...(simulated ? ['simulated'] : []), 'cupid'],
    pretty_name: 'CUPID-form data',
  });
  return [
    front.trimEnd(),
    ...(simulated ? [SIMULATED] : []),
    '# CUPID-form data',
    'This data came without a card, so its origin, its models and its license are unknown. Find them out before ' +
      'you publish it, and describe them here.\n',
  ].join('\n\n');
}

const SIMULATED =
  '**Simulated data: according to its provenance, at least one of the models was a simulation that answers by rule. It says nothing ' +
  'about people or models; do not train or evaluate on it.**';

/**
 * Splits the rows into parts of at most this many bytes. A larger row is a part of its own; no rows make one empty part. Read each part to
 * its end before the next one.
 */
export async function* splitIntoShards<Row>(
  rows: AsyncIterable<Row>,
  mostBytes: number,
): AsyncGenerator<AsyncGenerator<Row>> {
  const iterator = rows[Symbol.asyncIterator]();
  try {
    let next = await iterator.next();
    do yield shard();
    while (next.done !== true);

    async function* shard(): AsyncGenerator<Row> {
      let bytes = 0;
      for (let isFirst = true; next.done !== true; isFirst = false) {
        bytes += estimateBytes(next.value);
        if (!isFirst && bytes > mostBytes) return;
        yield next.value;
        next = await iterator.next();
      }
    }
  } finally {
    await iterator.return?.();
  }
}

/** Estimates a value's size in a table: the bytes of its texts, and eight for each number. */
function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).reduce((sum: number, part: unknown) => sum + estimateBytes(part), 0);
  }
  return 8;
}
