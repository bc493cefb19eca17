import type { FileHandle } from 'node:fs/promises';
import { formatNumber } from '../../../schemas/text/count-text';
import { BadContent, Claims } from '../bounds';
import { FlatBuffer } from './flat-buffer';

/**
 * Reads all metadata of an Arrow file or stream: the footer, and what stands before the content of each batch. Arrow's own reader may be
 * given the file only after this: on damaged metadata it can loop without end or fill the memory.
 * @throws BadContent when a length or an offset leads to bytes that do not exist, or a batch claims too much
 */
export async function requireMetadata(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const start = await readBytes(handle, 0, Math.min(size, MAGIC.length));
  const file = { handle, size, rows: 0, batches: new Claims(size), dictionaries: new Claims(size) };
  await (start.toString('latin1') === MAGIC ? requireFile(file) : requireStream(file));
}

interface File {
  readonly handle: FileHandle;
  readonly size: number;
  /** Of the batches so far. */
  rows: number;
  readonly batches: Claims;
  /** They stay in memory, so all of them count together. */
  readonly dictionaries: Claims;
}

async function requireFile(file: File): Promise<void> {
  const end = file.size - MAGIC.length - 4;
  const length = end < 8 ? 0 : (await readBytes(file.handle, end, 4)).readInt32LE();
  if (length <= 0 || length > end - 8) throw new BadContent('the length of its footer is not possible');
  requireSize(length, 'its footer');
  const footer = new FlatBuffer(await readBytes(file.handle, end - length, length));
  const root = footer.root();
  const schema = footer.table(root, FOOTER.schema);
  if (schema === undefined) throw new BadContent('its footer has no schema');
  requireSchema(footer, schema);
  requireKeyValues(footer, root, FOOTER.metadata);
  let sizeBytes = 0;
  for (const [slot, kind] of [
    [FOOTER.dictionaries, MESSAGE_KINDS.dictionary],
    [FOOTER.batches, MESSAGE_KINDS.batch],
  ] as const) {
    for (const block of footer.vector(root, slot, BLOCK_BYTES)) {
      const at = footer.longAt(block);
      const message = await requireMessage(file, at);
      if (message?.kind !== kind) throw new BadContent('its footer leads to something other than a batch');
      sizeBytes += message.end - at;
      // Else a small file could hold any number of rows.
      if (sizeBytes > file.size) throw new BadContent('its footer leads to the same batch more than once');
    }
  }
}

async function requireStream(file: File): Promise<void> {
  let at = 0;
  for (;;) {
    const message = await requireMessage(file, at);
    if (message === undefined) break;
    at = message.end;
  }
  // The end mark has two words.
  if (at + 8 !== file.size) throw new BadContent('it continues after its end mark');
}

/** What kind of message begins here, and where its content ends; undefined for the end mark. */
async function requireMessage(
  file: File,
  start: number,
): Promise<{ readonly kind: number; readonly end: number } | undefined> {
  let at = start;
  let length = await readWord(file, at);
  at += 4;
  if (length === CONTINUATION) {
    length = await readWord(file, at);
    at += 4;
  }
  if (length === 0) return undefined;
  if (length < 0 || length > file.size - at) throw new BadContent(OUTSIDE);
  requireSize(length, 'the metadata of a batch');
  const metadata = new FlatBuffer(await readBytes(file.handle, at, length));
  at += length;
  const root = metadata.root();
  const bodyBytes = metadata.long(root, MESSAGE.bodyBytes);
  if (!(bodyBytes >= 0 && bodyBytes <= file.size - at)) throw new BadContent(OUTSIDE);
  const kind = metadata.byte(root, MESSAGE.kind);
  requireKeyValues(metadata, root, MESSAGE.metadata);
  const header = metadata.table(root, MESSAGE.header);
  if (header === undefined) throw new BadContent('a batch has no description');
  if (kind === MESSAGE_KINDS.schema && bodyBytes === 0) {
    requireSchema(metadata, header);
  } else if (kind === MESSAGE_KINDS.batch) {
    const rows = metadata.long(header, BATCH.rows);
    const what = `the record batch from row ${file.rows + 1} on`;
    file.batches.begin(rows, what);
    file.rows += rows;
    file.batches.addBytes(
      await computeBatchBytes(file, metadata, header, { at, bodyBytes }),
      `${what} claims`,
    );
  } else if (kind === MESSAGE_KINDS.dictionary) {
    const data = metadata.table(header, DICTIONARY_BATCH.data);
    if (data === undefined) throw new BadContent('a dictionary has no values');
    file.dictionaries.addValues(metadata.long(data, BATCH.rows), 'the dictionaries claim');
    const sizeBytes = await computeBatchBytes(file, metadata, data, { at, bodyBytes });
    file.dictionaries.addBytes(sizeBytes, 'the dictionaries claim');
  } else {
    throw new BadContent('it has a part that is neither a schema nor a batch');
  }
  return { kind, end: at + bodyBytes };
}

function requireSchema(metadata: FlatBuffer, schema: number): void {
  requireKeyValues(metadata, schema, SCHEMA.metadata);
  metadata.vector(schema, SCHEMA.features, 8);
  let count = 0;
  for (const field of metadata.tables(schema, SCHEMA.fields)) requireField(field, 0, false);

  function requireField(field: number, depth: number, isWithinDictionary: boolean): void {
    count += 1;
    if (count > MAX_FIELDS)
      throw new BadContent(`its schema has more than ${formatNumber(MAX_FIELDS)} fields`);
    if (depth > MAX_DEPTH) throw new BadContent(`its columns are nested deeper than ${MAX_DEPTH} levels`);
    metadata.requireText(field, FIELD.name);
    requireKeyValues(metadata, field, FIELD.metadata);
    const type = metadata.table(field, FIELD.type);
    const kind = metadata.byte(field, FIELD.kind);
    if (type !== undefined && kind === TYPE_KINDS.timestamp) metadata.requireText(type, 6);
    if (type !== undefined && kind === TYPE_KINDS.union) metadata.vector(type, 6, 4);
    const dictionary = metadata.table(field, FIELD.dictionary);
    if (dictionary !== undefined) metadata.table(dictionary, DICTIONARY.indexType);
    // Columns share dictionaries by number, so those within each other could double at each level.
    if (dictionary !== undefined && isWithinDictionary)
      throw new BadContent('a dictionary holds values of another dictionary');
    for (const child of metadata.tables(field, FIELD.children))
      requireField(child, depth + 1, isWithinDictionary || dictionary !== undefined);
  }
}

function requireKeyValues(metadata: FlatBuffer, table: number, slot: number): void {
  for (const entry of metadata.tables(table, slot)) {
    metadata.requireText(entry, 4);
    metadata.requireText(entry, 6);
  }
}

/** How many bytes a batch has when it is unpacked. */
async function computeBatchBytes(
  file: File,
  metadata: FlatBuffer,
  batch: number,
  { at, bodyBytes }: { readonly at: number; readonly bodyBytes: number },
): Promise<number> {
  metadata.vector(batch, BATCH.nodes, 16);
  const isCompressed = metadata.table(batch, BATCH.compression) !== undefined;
  const buffers = metadata
    .vector(batch, BATCH.buffers, 16)
    .map((place) => ({ offset: metadata.longAt(place), length: metadata.longAt(place + 8) }));
  const used = buffers.reduce((sum, { length }) => sum + Math.max(0, length), 0);
  // Else one compressed buffer could be unpacked any number of times.
  if (used > bodyBytes) throw new BadContent('the buffers of a batch are longer than its content');
  const parts = metadata.vector(batch, BATCH.variadicCounts, 8).map((place) => metadata.longAt(place));
  if (parts.some((count) => count < 0) || parts.reduce((sum, count) => sum + count, 0) > buffers.length)
    throw new BadContent('a column of a batch claims more buffers than there are');
  if (!isCompressed) return used;
  let sizeBytes = 0;
  for (const { offset, length } of buffers) {
    if (length === 0) continue;
    if (!(offset >= 0 && length >= 8 && offset + length <= bodyBytes)) throw new BadContent(OUTSIDE);
    const claimed = Number((await readBytes(file.handle, at + offset, 8)).readBigInt64LE());
    if (claimed < NOT_COMPRESSED) throw new BadContent('a buffer claims a size below zero');
    sizeBytes += claimed === NOT_COMPRESSED ? length : claimed;
  }
  return sizeBytes;
}

function requireSize(length: number, what: string): void {
  if (length <= MAX_METADATA_BYTES) return;
  throw new BadContent(`${what} claims ${formatNumber(length)} bytes, but at most 16 MB are read`);
}

async function readWord(file: File, at: number): Promise<number> {
  if (!(at >= 0 && at + 4 <= file.size)) throw new BadContent(OUTSIDE);
  return (await readBytes(file.handle, at, 4)).readInt32LE();
}

async function readBytes(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw new BadContent(OUTSIDE);
  return buffer;
}

const MAGIC = 'ARROW1';
/** Before the length of each message; older writers leave it out. */
const CONTINUATION = -1;
const MAX_METADATA_BYTES = 16_000_000;
const MAX_DEPTH = 64;
const MAX_FIELDS = 10_000;
/** In place of the unpacked size of a buffer. */
const NOT_COMPRESSED = -1;
const OUTSIDE = 'it claims parts beyond its end';

// Slots and numbers are those of the format's own schemas (Message.fbs, Schema.fbs, File.fbs).
const FOOTER = { schema: 6, dictionaries: 8, batches: 10, metadata: 12 } as const;
const BLOCK_BYTES = 24;
const MESSAGE = { kind: 6, header: 8, bodyBytes: 10, metadata: 12 } as const;
const MESSAGE_KINDS = { schema: 1, dictionary: 2, batch: 3 } as const;
const SCHEMA = { fields: 6, metadata: 8, features: 10 } as const;
const FIELD = { name: 4, kind: 8, type: 10, dictionary: 12, children: 14, metadata: 16 } as const;
const TYPE_KINDS = { timestamp: 10, union: 14 } as const;
const DICTIONARY = { indexType: 6 } as const;
const DICTIONARY_BATCH = { data: 6 } as const;
const BATCH = { rows: 4, nodes: 6, buffers: 8, compression: 10, variadicCounts: 12 } as const;
