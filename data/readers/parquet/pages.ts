import type { Compressors, SchemaTree } from 'hyparquet';
import { BadContent, type Claims } from '../bounds';
import { checkWideDeltas, sumDeltas } from './deltas';
import { checkRuns } from './runs';
import type { ThriftStruct } from './thrift';

/** A column, as far as its pages are looked at. */
export interface PageColumn {
  readonly codec: string;
  readonly type: string;
  /** From the root of the schema to the column. */
  readonly path: readonly SchemaTree[];
}

/** What a page of data holds, unpacked. */
export interface PageContent {
  /** Values, those that are null included. */
  readonly count: number;
  /** Runs of levels; without any bytes where the column has none. */
  readonly repetitions: Uint8Array;
  readonly definitions: Uint8Array;
  /** What follows the levels, of those that are not null. */
  readonly values: Uint8Array;
  readonly present: number;
  readonly encoding: number;
}

/**
 * Checks a page before Parquet's reader unpacks it: how many values it claims, how large it claims to be, and how long runs of equal values
 * and repeated beginnings of texts are. The reader believes each of these, and the process would run out of memory or never end.
 * @param packed what follows the page's header
 * @returns undefined for a page of something else than data
 * @throws BadContent
 */
export function checkPage(
  header: ThriftStruct,
  packed: Uint8Array,
  { codec, type, path }: PageColumn,
  compressors: Compressors,
  claims: Claims,
): PageContent | undefined {
  const levels = computeLevels(path);
  const unpacked = getNumber(header, 2);
  claims.addBytes(unpacked);
  const [first, dictionary, second] = [findStruct(header, 5), findStruct(header, 7), findStruct(header, 8)];
  const about = first ?? dictionary ?? second;
  if (about === undefined) return undefined;
  // The reader makes a list for each level that a value is in.
  claims.addValues(getNumber(about, 1) * (1 + levels.definition));
  if (dictionary !== undefined) return undefined;
  const unpack = (packedPart: Uint8Array, size: number): Uint8Array =>
    codec === 'UNCOMPRESSED' ? packedPart : unpackPage(packedPart, size, codec, compressors);
  const content =
    first === undefined
      ? readContentOfSecond(packed, { header: about, levels, unpack, unpacked })
      : readContentOfFirst(unpack(packed, unpacked), getNumber(first, 1), getNumber(first, 2), levels);
  checkValues(content, type, claims);
  return content;
}

/** The highest repetition and definition level of a column; zero for levels that it does not have. */
export interface Levels {
  readonly repetition: number;
  readonly definition: number;
}

/** Version 1 of a page has the size of its levels in four bytes before them, and does not say how many values are null. */
function readContentOfFirst(page: Uint8Array, count: number, encoding: number, levels: Levels): PageContent {
  const repetitions = splitSizedPart(page, levels.repetition > 0);
  const definitions = splitSizedPart(repetitions.rest, levels.definition > 0);
  checkLevels(repetitions.part, levels.repetition, count);
  const present = checkLevels(definitions.part, levels.definition, count);
  return {
    count,
    repetitions: repetitions.part,
    definitions: definitions.part,
    values: definitions.rest,
    present,
    encoding,
  };
}

/** Version 2 of a page has its levels before what is compressed. */
function readContentOfSecond(
  page: Uint8Array,
  {
    header,
    levels,
    unpack,
    unpacked,
  }: {
    readonly header: ThriftStruct;
    readonly levels: Levels;
    readonly unpack: (packed: Uint8Array, size: number) => Uint8Array;
    readonly unpacked: number;
  },
): PageContent {
  const count = getNumber(header, 1);
  const [definitionBytes, repetitionBytes] = [getNumber(header, 5), getNumber(header, 6)];
  const from = definitionBytes + repetitionBytes;
  if (definitionBytes < 0 || repetitionBytes < 0 || from > page.length)
    throw new BadContent('a page is cut off');
  const repetitions = page.subarray(0, repetitionBytes);
  const definitions = page.subarray(repetitionBytes, from);
  checkLevels(repetitions, levels.repetition, count);
  checkLevels(definitions, levels.definition, count);
  const rest = page.subarray(from);
  const nulls = getNumber(header, 2);
  if (nulls < 0 || nulls > count) throw new BadContent('a page has more nulls than values');
  return {
    count,
    repetitions,
    definitions,
    values: header[7] === 0 ? rest : unpack(rest, unpacked - from),
    present: count - nulls,
    encoding: getNumber(header, 4),
  };
}

/** Gives how many of the levels are the highest, which is how many values are not null. */
function checkLevels(bytes: Uint8Array, highest: number, count: number): number {
  return highest === 0 ? count : checkRuns(bytes, computeWidth(highest), count, highest);
}

/** Of the encodings those that claim more than they hold. */
function checkValues(
  { values: bytes, present: count, encoding }: PageContent,
  type: string,
  claims: Claims,
): void {
  if (!(TYPES_OF_ENCODING[encoding] ?? []).includes(type))
    throw new BadContent(`a page of the type ${type} has the encoding ${encoding}, which is not for it`);
  if (count === 0) return;
  if (encoding === ENCODING.runs) checkRuns(splitSizedPart(bytes, true).part, 1, count);
  // No width is left out together with its runs where all values are the dictionary's first.
  if (encoding === ENCODING.dictionary || encoding === ENCODING.oldDictionary) {
    const width = bytes[0] ?? 0;
    if (bytes.length > 1 || width > 0) checkRuns(bytes.subarray(1), width, count);
  }
  if (encoding === ENCODING.deltas && type === 'INT64') checkWideDeltas(bytes, count);
  if (encoding === ENCODING.deltas && type === 'INT32') sumDeltas(bytes, 0, count);
  if (encoding === ENCODING.deltaLengths) sumDeltas(bytes, 0, count);
  if (encoding === ENCODING.deltaTexts) {
    const prefixes = sumDeltas(bytes, 0, count);
    sumDeltas(bytes, prefixes.end, count);
    claims.addBytes(prefixes.sum);
  }
}

export const ENCODING = {
  plain: 0,
  oldDictionary: 2,
  runs: 3,
  deltas: 5,
  deltaLengths: 6,
  deltaTexts: 7,
  dictionary: 8,
  splitStreams: 9,
} as const;

const NUMBERS = ['INT32', 'INT64', 'FLOAT', 'DOUBLE'];
const NOT_BOOLEAN = [...NUMBERS, 'INT96', 'BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'];
const TYPES_OF_ENCODING: Readonly<Record<number, readonly string[]>> = {
  [ENCODING.plain]: ['BOOLEAN', ...NOT_BOOLEAN],
  [ENCODING.oldDictionary]: NOT_BOOLEAN,
  [ENCODING.runs]: ['BOOLEAN'],
  [ENCODING.deltas]: ['INT32', 'INT64'],
  [ENCODING.deltaLengths]: ['BYTE_ARRAY'],
  [ENCODING.deltaTexts]: ['BYTE_ARRAY'],
  [ENCODING.dictionary]: NOT_BOOLEAN,
  [ENCODING.splitStreams]: NUMBERS,
};

/** A part with its size in four bytes before it, and what follows it. */
function splitSizedPart(
  bytes: Uint8Array,
  isThere: boolean,
): { readonly part: Uint8Array; readonly rest: Uint8Array } {
  if (!isThere) return { part: bytes.subarray(0, 0), rest: bytes };
  if (bytes.length < 4) throw new BadContent('a page is cut off');
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (end > bytes.length) throw new BadContent('a page is cut off');
  return { part: bytes.subarray(4, end), rest: bytes.subarray(end) };
}

export function computeLevels(path: readonly SchemaTree[]): Levels {
  const kinds = path.slice(1).map(({ element }) => element.repetition_type);
  return {
    repetition: kinds.filter((kind) => kind === 'REPEATED').length,
    definition: kinds.filter((kind) => kind !== 'REQUIRED').length,
  };
}

export function computeWidth(highest: number): number {
  return 32 - Math.clz32(highest);
}

function unpackPage(packed: Uint8Array, size: number, codec: string, compressors: Compressors): Uint8Array {
  const unpack = Object.entries(compressors).find(([name]) => name === codec)?.[1];
  if (unpack === undefined) throw new BadContent(`its compression (${codec}) is not one that can be read`);
  const page = unpack(packed, size);
  if (page.length !== size) throw new BadContent('a page has another size than it claims');
  return page;
}

function getNumber(struct: ThriftStruct, field: number): number {
  const value = struct[field];
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new BadContent('a page has no valid header');
  return value;
}

function findStruct(struct: ThriftStruct, field: number): ThriftStruct | undefined {
  const value = struct[field];
  return typeof value === 'object' ? value : undefined;
}
