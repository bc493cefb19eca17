import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  compressionRegistry,
  CompressionType,
  type Data,
  type DataType,
  Field,
  List,
  makeData,
  Null,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
  tableToIPC,
  type TypeMap,
  Utf8,
} from 'apache-arrow';
import * as fc from 'fast-check';
import { buildRecordBatches } from '../../../../data/tables/batches';
import { INSTANCE_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
import { decompressLz4Frame } from '../../../../data/readers/arrow/lz4-frame';
import { buildInstances, renderLines } from '../sets/instances';
import { readOutcome, readTableOutcome } from '../sets/outcome';
import { ZSTD_MAGIC, encodeZstdZeros } from './zstd-bytes';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const outcome = (name: string, bytes: Uint8Array | string) => readOutcome(folder, name, bytes);

/** Words of messages by Node and the libraries, which are about their code. */
const RAW =
  /Maximum call|is not a function|is not iterable|Cannot read prop|undefined \(|Invalid (?:array|typed)|RangeError|TypeError|out of range|outside the bounds|\n\s+at /;

async function expectSafe(name: string, bytes: Uint8Array | string): Promise<void> {
  const from = process.cpuUsage();
  const before = process.memoryUsage().rss;
  const ended = await outcome(name, bytes);
  expect(String(ended)).not.toMatch(RAW);
  // Processor time, in microseconds, because other tests run at the same time.
  expect(process.cpuUsage(from).user).toBeLessThan(10_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(1_000_000_000);
}

const COLUMNS = INSTANCE_COLUMNS.fields.map(({ name }) => name);

/** Builds rows that have the same data in each of these columns. */
function buildRows<Type extends DataType>(
  column: Data<Type>,
  names: readonly string[] = COLUMNS,
): RecordBatch {
  const fields = names.map((name) => new Field(name, column.type, true));
  const type = new Struct<TypeMap>(fields);
  const children = names.map(() => column);
  return new RecordBatch(
    new Schema(fields),
    makeData({ type, length: column.length, nullCount: 0, children }),
  );
}

/** Builds an Arrow file whose columns all have this data. */
function arrowOf<Type extends DataType>(column: Data<Type>): Uint8Array {
  return tableToIPC(new Table([buildRows(column)]), 'file');
}

/** Builds a row with a list that has all entries of this data. */
function listOf<Type extends DataType>(child: Data<Type>): Data<List<Type>> {
  const type = new List(new Field('item', child.type, true));
  return makeData({ type, length: 1, nullCount: 0, valueOffsets: Int32Array.of(0, child.length), child });
}

async function arrowBytes(form: 'file' | 'stream', rows = buildInstances(120)): Promise<Uint8Array> {
  const batches: RecordBatch[] = [];
  for await (const batch of buildRecordBatches(INSTANCE_COLUMNS, rows)) batches.push(batch);
  return tableToIPC(new Table(batches), form);
}

describe('a small Arrow file', () => {
  test('of 50 million nulls is rejected by its rows', async () => {
    const bytes = arrowOf(makeData({ type: new Null(), length: 50_000_000 }));
    expect(bytes.length).toBeLessThan(3_000);
    // All rows are checked, and the first problems listed.
    expect(await readTableOutcome(folder, 'nulls.arrow', bytes)).toBe(
      'nulls.arrow begins as Arrow but is damaged or cut off (it claims more rows than it has bytes). Download or write it again.',
    );
  });

  test('whose one row has a list of 50 million nulls is rejected', async () => {
    const nulls = makeData({ type: new Null(), length: 50_000_000 });
    expect(await outcome('list.arrow', arrowOf(listOf(nulls)))).toBe(
      'list.arrow cannot be read (20 of its rows claim 50,000,001 values, but at most 2,097,152 are read at once). ' +
        'Write it again with fewer rows in each of its record batches.',
    );
  });

  test('whose rows all hold the same large text is rejected', async () => {
    const length = 100_000;
    const data = Buffer.alloc(1_000_000, 'a');
    // Alternating, so that every second row is the whole text.
    const valueOffsets = Int32Array.from({ length: length + 1 }, (_, index) => (index % 2) * data.length);
    const texts = makeData({ type: new Utf8(), length, nullCount: 0, data, valueOffsets });
    expect(await outcome('texts.arrow', arrowOf(texts))).toMatch(
      /begins as Arrow but is damaged or cut off \(its offsets are damaged\)/,
    );
  });

  test('whose message leads back to itself is rejected', async () => {
    const bytes = Buffer.from(await arrowBytes('stream'));
    const batch = bytes.indexOf('ffffffff', 4, 'hex');
    bytes.writeInt32LE(-8, batch + 4);
    expect(await outcome('back.arrow', bytes)).toBe(
      'back.arrow cannot be read (its next rows need more than 10 s of processor time). ' +
        'Write it again with fewer rows in each of its record batches.',
    );
  });

  test('whose columns hold too many values together is rejected', async () => {
    const length = 1_000_000;
    const inner = Array.from({ length: 20 }, (_, index) => new Field(`part ${index}`, new Null(), true));
    const parts = inner.map(() => makeData({ type: new Null(), length }));
    const type = new Struct<TypeMap>(inner);
    const child = makeData({ type, length, nullCount: 0, children: parts });
    expect(await outcome('parts.arrow', arrowOf(listOf(child)))).toMatch(
      /^parts\.arrow cannot be read \(20 of its rows claim 3,000,001 values/,
    );
  });

  test.each(['file', 'stream'] as const)(
    '(%s) whose compressed buffers are large together is rejected',
    async (form) => {
      compressionRegistry.set(CompressionType.ZSTD, { encode: encodeZstdZeros });
      const data = new Uint8Array(20_000_000);
      const others = Array.from({ length: 40 }, (_, index) => `other ${index}`);
      const valueOffsets = Int32Array.of(0, data.length);
      const text = makeData({ type: new Utf8(), length: 1, nullCount: 0, data, valueOffsets });
      const options = { compressionType: CompressionType.ZSTD };
      const writer =
        form === 'file' ? new RecordBatchFileWriter(options) : new RecordBatchStreamWriter(options);
      writer.write(buildRows(text, [...COLUMNS, ...others]));
      writer.finish();
      const bytes = Buffer.from(await writer.toUint8Array());
      // The library writes the packed size where the format requires the unpacked one.
      for (let at = 0; (at = bytes.indexOf(ZSTD_MAGIC, at + 1, 'hex')) > 0;)
        bytes.writeBigInt64LE(BigInt(data.length), at - 8);
      expect(await outcome('buffers.arrow', bytes)).toBe(
        'buffers.arrow cannot be read (its next rows need more than 800 MB of memory). Write it again with fewer rows in each of its record batches.',
      );
    },
  );

  test('with an LZ4 buffer of another size than it claims is rejected', () => {
    // One zero, copied 19 times, and another.
    const frame = Buffer.from('04224d18604000070000001f00010000100000000000', 'hex');
    expect(decompressLz4Frame(frame, 21)).toEqual(new Uint8Array(21));
    expect(() => decompressLz4Frame(frame, 16)).toThrow('an LZ4 frame has a different size than it claims');
    expect(() => decompressLz4Frame(frame, 1_000)).toThrow(
      'an LZ4 frame has a different size than it claims',
    );
  });
});

describe('JSON lines', () => {
  test.each([
    ['lists', '['.repeat(100_000)],
    ['objects', `{"a":`.repeat(50_000)],
    ['whole lists in a column', `{"persona_id": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ])('nested deeply are rejected, with their line: %s', async (_what, line) => {
    const ended = await outcome(
      'deep.jsonl',
      `${renderLines(buildInstances(1))} ${line.replace(/^\[/, '{"a":[')}\n`,
    );
    expect(ended).toMatch(/^deep\.jsonl, line 2: lists and objects are nested deeper than 64 levels\./);
  });

  test('brackets in texts do not count', async () => {
    const rows = buildInstances(1).map((row) => ({ ...row, current_request: `\\"${'[{'.repeat(200)}"` }));
    expect(await outcome('texts.jsonl', renderLines(rows))).toBe(1);
  });

  test('a line without end is rejected before it is in memory', async () => {
    expect(await outcome('long.jsonl', Buffer.alloc(70_000_000, 'a'))).toMatch(
      /^long\.jsonl cannot be read \(line 1 is longer than 64 MB\)/,
    );
  });
});

/** Returns mutations: changed bytes, a dropped or repeated part, or a cut end. */
function damaged(whole: Uint8Array): fc.Arbitrary<Uint8Array> {
  const at = fc.nat({ max: whole.length - 1 });
  // Lengths are at the ends of files, where a single change matters most.
  const place = fc.oneof(
    at,
    at.map((index) => whole.length - 1 - (index % 2_000)),
    at.map((index) => index % 400),
  );
  const value = fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat({ max: 255 }));
  return fc
    .record({
      changes: fc.array(fc.tuple(place, value), { minLength: 1, maxLength: 6 }),
      part: fc.tuple(at, fc.nat({ max: 64 }), fc.constantFrom(0, 1, 1, 1, 1, 2)),
      end: fc.oneof({ weight: 9, arbitrary: fc.constant(whole.length) }, { weight: 1, arbitrary: at }),
    })
    .map(({ changes, part: [start, length, times], end }) => {
      const bytes = Uint8Array.from(whole);
      for (const [index, byte] of changes) bytes[index] = byte;
      const parts = Array.from({ length: times }, () => bytes.subarray(start, start + length));
      return Buffer.concat([bytes.subarray(0, start), ...parts, bytes.subarray(start + length)]).subarray(
        0,
        end,
      );
    });
}

describe('any damage ends in rows or in a message of ours, soon and in little memory', () => {
  const rows = buildInstances(20);
  const write = {
    'fuzz.parquet': (file: string) => writeParquet(file, INSTANCE_COLUMNS, rows),
    'fuzz.arrow': async (file: string) => writeFile(file, await arrowBytes('file')),
    'fuzz-stream.arrow': async (file: string) => writeFile(file, await arrowBytes('stream')),
    'fuzz.jsonl': (file: string) => writeFile(file, renderLines(rows.slice(0, 4))),
  };

  test.each(Object.entries(write))('%s', async (name, make) => {
    await make(join(folder, name));
    const whole = await readFile(join(folder, name));
    await fc.assert(
      fc.asyncProperty(damaged(whole), (bytes) => expectSafe(name, bytes)),
      { numRuns: 50 },
    );
  });
});
