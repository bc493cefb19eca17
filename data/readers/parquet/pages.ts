import type { Compressors, SchemaTree } from 'hyparquet';
import { BadContent, type Claims } from '../bounds';
import { checkWideDeltas, sumDeltas } from './deltas';
import { checkRuns } from './runs';
import { readThrift, type ThriftStruct } from './thrift';

/** A column's part of a row group, as far as its pages are looked at. */
interface ColumnChunk {
  readonly bytes: Uint8Array;
  readonly codec: string;
  readonly type: string;
  /** From the root of the schema to the column. */
  readonly path: readonly SchemaTree[];
}

/**
 * Checks the pages of a column's part of a row group before Parquet's reader unpacks them: how many values they claim, how large they
 * claim to be, and how long runs of equal values and repeated beginnings of texts are. The reader believes each of these, and the process
 * would run out of memory or never end.
 * @throws BadContent
 */
export function checkPages(
  { bytes, codec, type, path }: ColumnChunk,
  compressors: Compressors,
  claims: Claims,
): void {
  const levels = computeLevels(path);
  for (let at = 0; at < bytes.length - 1;) {
    const { value: header, end } = readThrift(bytes, at);
    const [unpacked, packed] = [getNumber(header, 2), getNumber(header, 3)];
    if (packed < 0 || packed > bytes.length - end) throw new BadContent('a page is cut off');
    claims.addBytes(unpacked);
    const page = bytes.subarray(end, end + packed);
    at = end + packed;
    const [first, dictionary, second] = [findStruct(header, 5), findStruct(header, 7), findStruct(header, 8)];
    const about = first ?? dictionary ?? second;
    if (about === undefined) continue;
    // The reader makes a list for each level that a value is in.
    claims.addValues(getNumber(about, 1) * (1 + levels.definition));
    if (dictionary !== undefined) continue;
    const unpack = (packedPart: Uint8Array, size: number): Uint8Array =>
      codec === 'UNCOMPRESSED' ? packedPart : unpackPage(packedPart, size, codec, compressors);
    const values =
      first === undefined
        ? readValuesOfSecond(page, { header: about, levels, unpack, unpacked })
        : readValuesOfFirst(unpack(page, unpacked), getNumber(first, 1), getNumber(first, 2), levels);
    checkValues(values, type, claims);
  }
}

/** What a page holds after its levels. */
interface PageValues {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly encoding: number;
}

/** The highest repetition and definition level of a column; zero for levels that it does not have. */
interface Levels {
  readonly repetition: number;
  readonly definition: number;
}

/** Version 1 of a page has the size of its levels in four bytes before them, and does not say how many values are null. */
function readValuesOfFirst(page: Uint8Array, count: number, encoding: number, levels: Levels): PageValues {
  const repetitions = splitSizedPart(page, levels.repetition > 0);
  const definitions = splitSizedPart(repetitions.rest, levels.definition > 0);
  checkLevels(repetitions.part, levels.repetition, count);
  const present = checkLevels(definitions.part, levels.definition, count);
  return { bytes: definitions.rest, count: present, encoding };
}

/** Version 2 of a page has its levels before what is compressed. */
function readValuesOfSecond(
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
): PageValues {
  const count = getNumber(header, 1);
  const [definitions, repetitions] = [getNumber(header, 5), getNumber(header, 6)];
  const from = definitions + repetitions;
  if (definitions < 0 || repetitions < 0 || from > page.length) throw new BadContent('a page is cut off');
  checkLevels(page.subarray(0, repetitions), levels.repetition, count);
  checkLevels(page.subarray(repetitions, from), levels.definition, count);
  const rest = page.subarray(from);
  const nulls = getNumber(header, 2);
  if (nulls < 0 || nulls > count) throw new BadContent('a page has more nulls than values');
  return {
    bytes: header[7] === 0 ? rest : unpack(rest, unpacked - from),
    count: count - nulls,
    encoding: getNumber(header, 4),
  };
}

/** Gives how many of the levels are the highest, which is how many values are not null. */
function checkLevels(bytes: Uint8Array, highest: number, count: number): number {
  return highest === 0 ? count : checkRuns(bytes, 32 - Math.clz32(highest), count, highest);
}

/** Of the encodings those that claim more than they hold. */
function checkValues({ bytes, count, encoding }: PageValues, type: string, claims: Claims): void {
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

const ENCODING = {
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

function computeLevels(path: readonly SchemaTree[]): Levels {
  const kinds = path.slice(1).map(({ element }) => element.repetition_type);
  return {
    repetition: kinds.filter((kind) => kind === 'REPEATED').length,
    definition: kinds.filter((kind) => kind !== 'REQUIRED').length,
  };
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
