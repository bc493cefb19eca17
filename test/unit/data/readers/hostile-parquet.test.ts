import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readOutcome } from '../sets/outcome';
import { encodePage, encodeParquet, encodeSecondPage, encodeVarInt } from './parquet-bytes';
import { encodeZstdZeros } from './zstd-bytes';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupid-hostile-'));
});
afterAll(() => rm(folder, { recursive: true }));

const outcome = (bytes: Uint8Array) => readOutcome(folder, 'hostile.parquet', bytes);

const PLAIN = 0;
const DELTA_LENGTHS = 6;
const DELTA_TEXTS = 7;
const DICTIONARY = 8;

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Runs of values below 256. */
function runs(...parts: readonly (readonly [length: number, value: number])[]): Buffer {
  return Buffer.concat(parts.flatMap(([length, value]) => [encodeVarInt(2 * length), Buffer.of(value)]));
}

/** Numbers that begin so and grow by so much each time, in blocks of 128 with four parts. */
function deltas(count: number, first: number, step: number): Buffer {
  const blocks = Array.from({ length: Math.ceil((count - 1) / 128) }, () => [
    encodeVarInt(2 * step),
    Buffer.alloc(4),
  ]);
  return Buffer.concat([
    encodeVarInt(128),
    encodeVarInt(4),
    encodeVarInt(count),
    encodeVarInt(2 * first),
    ...blocks.flat(),
  ]);
}

/** Texts of which each is the one before and an "a" more. */
function growing(count: number): Buffer {
  return Buffer.concat([deltas(count, 0, 1), deltas(count, 1, 0), Buffer.alloc(count, 'a')]);
}

describe('texts that repeat the beginnings of those before', () => {
  const NULLS = sized(runs([2, 0], [3, 1]));

  test.each([
    ['version 1', encodePage({ count: 3, encoding: DELTA_TEXTS, packed: growing(3) }), false, 1],
    ['version 2', encodeSecondPage({ count: 3, encoding: DELTA_TEXTS, packed: growing(3) }), false, 1],
    [
      'version 1 with nulls',
      encodePage({ count: 5, encoding: DELTA_TEXTS, packed: Buffer.concat([NULLS, growing(3)]) }),
      true,
      3,
    ],
  ])('are read when they are few: %s', async (_what, bytes, isOptional, row) => {
    const ended = await outcome(encodeParquet({ rows: row + 2, pages: [bytes], isOptional }));
    // The first texts that are there are one, two and three letters.
    if (row > 1) expect(ended).toContain('row 1, field persona_id: expected a text, found nothing.');
    expect(ended).toContain(`row ${row + 1}, field instance_type:`);
    expect(ended).toContain('found "aa"');
  });

  test.each([
    ['version 1', encodePage, false],
    ['version 1 with nulls', encodePage, true],
    ['version 2', encodeSecondPage, false],
  ])('are rejected when 200 KB grow to 20 GB: %s', async (_what, write, isOptional) => {
    const count = 200_000;
    const levels = isOptional ? sized(runs([2, 0], [count, 1])) : Buffer.alloc(0);
    const packed = Buffer.concat([levels, growing(count)]);
    const rows = count + (isOptional ? 2 : 0);
    const bytes = write({ count: rows, encoding: DELTA_TEXTS, packed });
    expect(await outcome(encodeParquet({ rows, pages: [bytes], isOptional }))).toMatch(
      /^hostile\.parquet cannot be read \(column persona_id of the row group from row 1 on: the columns up to this one claim 20,000,\d{3},\d{3} bytes, but at most 536,870,912 are read at once\)\. Write it again with fewer rows in each of its row groups\.$/,
    );
  });

  test('are rejected when their blocks lead back, which the library follows without end', async () => {
    const packed = Buffer.concat([Buffer.from('ffffffff0fffffffff0f', 'hex'), Buffer.alloc(20)]);
    for (const encoding of [DELTA_TEXTS, DELTA_LENGTHS]) {
      const bytes = encodePage({ count: 100, encoding, packed });
      expect(await outcome(encodeParquet({ rows: 100, pages: [bytes] }))).toContain(
        '(column persona_id of the row group from row 1 on: its numbers kept as differences are damaged)',
      );
    }
  });
});

test('levels that continue in what follows them are rejected', async () => {
  const packed = Buffer.concat([sized(Buffer.alloc(0)), runs([50_000_000, 0])]);
  const bytes = encodePage({ count: 10, encoding: PLAIN, packed });
  expect(await outcome(encodeParquet({ rows: 10, pages: [bytes], isOptional: true }))).toContain(
    '(column persona_id of the row group from row 1 on: a run of values is damaged)',
  );
});

test('an encoding that the type does not have is rejected', async () => {
  const bytes = encodePage({
    count: 10,
    encoding: 3,
    packed: Buffer.concat([sized(runs([10, 0])), runs([50_000_000, 0])]),
  });
  expect(await outcome(encodeParquet({ rows: 10, pages: [bytes] }))).toContain(
    'a page of the type BYTE_ARRAY has the encoding 3, which is not for it)',
  );
});

test('pages that are large only together are rejected', async () => {
  const sizeBytes = 16_000_000;
  const plain = Buffer.alloc(sizeBytes, 'a');
  plain.writeUInt32LE(sizeBytes - 4);
  const bytes = encodePage({ count: 1, encoding: PLAIN, packed: gzipSync(plain), sizeBytes });
  expect(
    await outcome(encodeParquet({ rows: 6, pages: Array.from({ length: 6 }, () => bytes), codec: 'gzip' })),
  ).toMatch(
    /column current_checklist of the row group from row 1 on: the columns up to this one claim 544,000,000 bytes, but at most 536,870,912/,
  );
});

test('a zstd page of a gigabyte that claims a hundred bytes takes no memory for it', async () => {
  const bytes = encodePage({
    count: 1,
    encoding: PLAIN,
    packed: encodeZstdZeros({ length: 1_000_000_000 }),
    sizeBytes: 100,
  });
  const before = process.resourceUsage().maxRSS;
  expect(await outcome(encodeParquet({ rows: 1, pages: [bytes], codec: 'zstd' }))).toEqual(
    expect.any(String),
  );
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(200_000);
});

test('a million rows of nothing are rejected in a file of a few hundred bytes', async () => {
  const packed = sized(runs([1_000_000, 0]));
  const pages = [encodePage({ count: 1_000_000, encoding: PLAIN, packed })];
  expect(await outcome(encodeParquet({ rows: 1_000_000, groups: 100, pages, isOptional: true }))).toBe(
    'hostile.parquet begins as Parquet but is damaged or cut off (the row group from row 1 on claims more rows than the file has bytes). ' +
      'Download or write it again.',
  );
});

test('a million texts that share a megabyte are rejected before each is checked', async () => {
  const sizeBytes = 1_000_000;
  const plain = Buffer.alloc(sizeBytes, 'a');
  plain.writeUInt32LE(sizeBytes - 4);
  const count = 3_000;
  const pages = [
    encodePage({ kind: 'dictionary', count: 1, encoding: PLAIN, packed: gzipSync(plain), sizeBytes }),
    encodePage({
      count,
      encoding: DICTIONARY,
      packed: gzipSync(Buffer.concat([Buffer.of(1), runs([count, 0])])),
      sizeBytes: 4,
    }),
  ];
  expect(await outcome(encodeParquet({ rows: count, pages, codec: 'gzip', paddingBytes: count }))).toMatch(
    /^hostile\.parquet begins as Parquet but is damaged or cut off \(\d,\d{3} bytes claim to hold more than/,
  );
});
