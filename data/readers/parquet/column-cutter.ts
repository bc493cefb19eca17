import { BadContent, type Claims } from '../bounds';
import type { ColumnReader } from './column-reader';
import { computeLevels, computeWidth, ENCODING, type Levels } from './pages';
import { decodeRuns, encodeRuns } from './runs';
import { encodeThrift } from './thrift';

/**
 * Cuts the pages of a column into pages for some rows each. Those of a large row group hold any number of rows, begin within them, and
 * differ from column to column, so that the library could only read all of them at once.
 */
export class ColumnCutter {
  readonly #levels: Levels;
  #page: OpenPage | undefined;

  constructor(private readonly reader: ColumnReader) {
    this.#levels = computeLevels(reader.column.path);
  }

  /** The column's dictionary as it is, and pages with the next rows, not packed. @throws BadContent */
  async cutRows(
    rows: number,
    claims: Claims,
  ): Promise<{ readonly dictionary: Uint8Array; readonly pages: readonly Uint8Array[] }> {
    const pages: Uint8Array[] = [];
    let begun = 0;
    for (;;) {
      this.#page ??= await this.#openPage(claims);
      if (this.#page === undefined) break;
      const { repetitions, at } = this.#page;
      let end = at;
      for (; end < repetitions.length; end += 1) {
        if (repetitions[end] !== 0) continue;
        if (begun === rows) break;
        begun += 1;
      }
      if (end > at) pages.push(this.#cutPage(this.#page, end));
      if (end < repetitions.length) break;
      this.#page = undefined;
    }
    if (begun < rows) throw new BadContent('it has fewer rows than its row group');
    return { dictionary: await this.reader.readDictionary(), pages };
  }

  async #openPage(claims: Claims): Promise<OpenPage | undefined> {
    const content = await this.reader.readPage(claims);
    if (content === undefined) return undefined;
    const { count, present, encoding, values } = content;
    const decode = (levels: Uint8Array, highest: number, ifNone: number): Uint32Array =>
      highest === 0 ? new Uint32Array(count).fill(ifNone) : decodeRuns(levels, computeWidth(highest), count);
    return {
      repetitions: decode(content.repetitions, this.#levels.repetition, 0),
      definitions: decode(content.definitions, this.#levels.definition, this.#levels.definition),
      encoding,
      takeValues: encoding === ENCODING.plain ? this.#cutPlain(values) : cutPlaces(values, present),
      at: 0,
    };
  }

  /** Of the open page, the values up to one. */
  #cutPage(page: OpenPage, end: number): Uint8Array {
    const repetitions = page.repetitions.subarray(page.at, end);
    const definitions = page.definitions.subarray(page.at, end);
    page.at = end;
    const { repetition, definition } = this.#levels;
    const present = countEqual(definitions, definition);
    const content = [
      encodeLevels(repetitions, repetition),
      encodeLevels(definitions, definition),
      page.takeValues(present),
    ];
    const [repetitionBytes = 0, definitionBytes = 0, valueBytes = 0] = content.map(({ length }) => length);
    const size = repetitionBytes + definitionBytes + valueBytes;
    const about = {
      1: definitions.length,
      2: definitions.length - present,
      3: countEqual(repetitions, 0),
      4: page.encoding,
      5: definitionBytes,
      6: repetitionBytes,
      // It is not packed.
      7: false,
    } as const;
    return Buffer.concat([
      Buffer.from(encodeThrift({ 1: DATA_PAGE_V2, 2: size, 3: size, 8: about })),
      ...content,
    ]);
  }

  #cutPlain(values: Uint8Array): OpenPage['takeValues'] {
    const { type, path } = this.reader.column;
    const width = type === 'FIXED_LEN_BYTE_ARRAY' ? path.at(-1)?.element.type_length : WIDTHS[type];
    const view = new DataView(values.buffer, values.byteOffset, values.length);
    let at = 0;
    return (count) => {
      const from = at;
      if (width !== undefined) at += width * count;
      else
        for (let index = 0; index < count; index += 1) {
          if (at + 4 > values.length) throw CUT_OFF;
          at += 4 + view.getUint32(at, true);
        }
      if (at > values.length) throw CUT_OFF;
      return values.subarray(from, at);
    };
  }
}

interface OpenPage {
  readonly repetitions: Uint32Array;
  readonly definitions: Uint32Array;
  readonly encoding: number;
  /** So many of the values that are not null, and no longer in the page then. */
  readonly takeValues: (count: number) => Uint8Array;
  /** The first value that was not taken. */
  at: number;
}

/** Whether pages of these encodings can be cut. */
export function canCut(type: string, encodings: readonly string[]): boolean {
  return type !== 'BOOLEAN' && encodings.every((encoding) => CUT_ENCODINGS.includes(encoding));
}

/** Those of levels included. Few writers use others unless they are told to. */
const CUT_ENCODINGS = ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY', 'RLE', 'BIT_PACKED'];
/** Bytes of a value; texts have their length before them. */
const WIDTHS: Readonly<Record<string, number>> = { INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 };
const DATA_PAGE_V2 = 3;
const CUT_OFF = new BadContent('a page is cut off');

/** Places in the dictionary. Their width stands before them. */
function cutPlaces(values: Uint8Array, present: number): OpenPage['takeValues'] {
  const width = values[0] ?? 0;
  const places = width === 0 ? new Uint32Array(present) : decodeRuns(values.subarray(1), width, present);
  let at = 0;
  return (count) => {
    const taken = encodeRuns(places.subarray(at, at + count), width);
    at += count;
    return Buffer.concat([Buffer.of(width), taken]);
  };
}

function encodeLevels(levels: Uint32Array, highest: number): Uint8Array {
  return highest === 0 ? new Uint8Array() : encodeRuns(levels, computeWidth(highest));
}

function countEqual(levels: Uint32Array, wanted: number): number {
  return levels.reduce((count, level) => (level === wanted ? count + 1 : count), 0);
}
