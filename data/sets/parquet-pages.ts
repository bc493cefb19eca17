import type { Compressors, SchemaTree } from 'hyparquet';
import { BadContent, requireExpansion, requireValueCount } from './bounds';
import { readThrift, type ThriftStruct } from './parquet-thrift';

/** A column's part of a row group, as far as its pages are looked at. */
export interface ColumnChunk {
  readonly bytes: Uint8Array;
  readonly codec: string;
  readonly type: string;
  /** From the root of the schema to the column. */
  readonly path: readonly SchemaTree[];
}

/**
 * Checks the pages of a column's part of a row group before Parquet's reader unpacks them: how many values they claim, how large they
 * claim to be, and how long the runs of equal values are. The reader believes each of these, and the process would run out of memory.
 * @throws BadContent
 */
export function checkPages({ bytes, codec, type, path }: ColumnChunk, compressors: Compressors): void {
  const levels = levelsOf(path);
  let values = 0;
  for (let at = 0; at < bytes.length - 1;) {
    const { value: header, end } = readThrift(bytes, at);
    const [unpacked, packed] = [numberIn(header, 2), numberIn(header, 3)];
    if (packed < 0 || packed > bytes.length - end) throw new BadContent('a page is cut off');
    requireExpansion(packed, unpacked);
    const page = bytes.subarray(end, end + packed);
    at = end + packed;
    const about = structIn(header, 5) ?? structIn(header, 7) ?? structIn(header, 8);
    if (about === undefined) continue;
    const count = numberIn(about, 1);
    values += count;
    requireValueCount(count, 'a page');
    requireValueCount(values, 'the column');
    if (structIn(header, 7) !== undefined) continue;
    const unpack = (packedPart: Uint8Array, size: number): Uint8Array =>
      codec === 'UNCOMPRESSED' ? packedPart : unpackPage(packedPart, size, codec, compressors);
    const second = structIn(header, 8);
    if (second === undefined) {
      const whole = unpack(page, unpacked);
      let from = 0;
      for (const width of levels) from = checkSizedRuns(whole, from, width, count);
      checkValues(whole.subarray(from), { type, encoding: numberIn(about, 2), count });
    } else {
      checkSecondForm(page, { header: second, levels, type, unpack, unpacked });
    }
  }
}

/** Version 2 of a page has its levels before what is compressed. */
function checkSecondForm(
  page: Uint8Array,
  {
    header,
    levels,
    type,
    unpack,
    unpacked,
  }: {
    readonly header: ThriftStruct;
    readonly levels: readonly number[];
    readonly type: string;
    readonly unpack: (packed: Uint8Array, size: number) => Uint8Array;
    readonly unpacked: number;
  },
): void {
  const count = numberIn(header, 1);
  const [definitions, repetitions] = [numberIn(header, 5), numberIn(header, 6)];
  const from = definitions + repetitions;
  if (definitions < 0 || repetitions < 0 || from > page.length) throw new BadContent('a page is cut off');
  const parts = [page.subarray(0, repetitions), page.subarray(repetitions, from)];
  // A column without repetition has its only level in the second part.
  const widths = levels.length === 2 ? levels : [undefined, ...levels];
  for (const [index, part] of parts.entries()) {
    const width = widths[index];
    if (width !== undefined) checkRuns(part, width, count);
  }
  const rest = page.subarray(from);
  const values = header[7] === 0 ? rest : unpack(rest, unpacked - from);
  const present = count - numberIn(header, 2);
  requireValueCount(present, 'a page');
  checkValues(values, { type, encoding: numberIn(header, 4), count: present });
}

/** Of the encodings those that have runs. */
function checkValues(
  bytes: Uint8Array,
  { type, encoding, count }: { readonly type: string; readonly encoding: number; readonly count: number },
): void {
  if (count === 0 || bytes.length === 0) return;
  if (encoding === ENCODING.dictionary || encoding === ENCODING.oldDictionary) {
    if (type !== 'BOOLEAN') checkRuns(bytes.subarray(1), bytes[0] ?? 0, count);
  }
  if (encoding === ENCODING.runs || type === 'BOOLEAN') {
    if (encoding !== ENCODING.plain) checkSizedRuns(bytes, 0, 1, count);
  }
}

const ENCODING = { plain: 0, oldDictionary: 2, runs: 3, dictionary: 8 } as const;

/** Runs with their size in four bytes before them; gives where they end. */
function checkSizedRuns(bytes: Uint8Array, from: number, width: number, count: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (from + 4 > bytes.length) throw new BadContent('a page is cut off');
  const end = from + 4 + view.getUint32(from, true);
  if (end > bytes.length) throw new BadContent('a page is cut off');
  checkRuns(bytes.subarray(from + 4, end), width, count);
  return end;
}

/** Only the last run may hold more values than are left, to fill a block. */
function checkRuns(bytes: Uint8Array, width: number, count: number): void {
  let seen = 0;
  for (let at = 0; seen < count && at < bytes.length;) {
    let header = 0;
    for (let place = 0; ; place += 1) {
      const byte = bytes[at];
      if (byte === undefined || place > 4) throw new BadContent('a run of values is damaged');
      at += 1;
      header += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) break;
    }
    const isPacked = header % 2 === 1;
    const length = isPacked ? ((header - 1) / 2) * 8 : header / 2;
    if (length > count - seen + MAX_PADDING) throw new BadContent('a run of values is longer than its page');
    at += isPacked ? (length / 8) * width : Math.ceil(width / 8);
    seen += length;
  }
}

/** The format fills groups of eight values; DuckDB fills blocks of 256. */
const MAX_PADDING = 255;

/** How many bits the repetition and the definition level of a column have, in this order; none for levels that it has not. */
function levelsOf(path: readonly SchemaTree[]): number[] {
  const kinds = path.slice(1).map(({ element }) => element.repetition_type);
  const repetition = kinds.filter((kind) => kind === 'REPEATED').length;
  const definition = kinds.filter((kind) => kind !== 'REQUIRED').length;
  return [repetition, definition].filter((most) => most > 0).map((most) => 32 - Math.clz32(most));
}

function unpackPage(packed: Uint8Array, size: number, codec: string, compressors: Compressors): Uint8Array {
  const unpack = Object.entries(compressors).find(([name]) => name === codec)?.[1];
  if (unpack === undefined) throw new BadContent(`its compression (${codec}) is not one that can be read`);
  const page = unpack(packed, size);
  if (page.length !== size) throw new BadContent('a page has another size than it claims');
  return page;
}

function numberIn(struct: ThriftStruct, field: number): number {
  const value = struct[field];
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new BadContent('a page has no valid header');
  return value;
}

function structIn(struct: ThriftStruct, field: number): ThriftStruct | undefined {
  const value = struct[field];
  return typeof value === 'object' ? value : undefined;
}
