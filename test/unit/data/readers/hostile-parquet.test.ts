import { gzipSync } from 'node:zlib';
import { readOutcome, readTableOutcome } from '../sets/outcome';
import { encodePage, encodeParquet, encodeSecondPage, encodeVarInt } from './parquet-bytes';
import { encodeZstdZeros } from './zstd-bytes';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const outcome = (bytes: Uint8Array) => readOutcome(folder, 'hostile.parquet', bytes);

const PLAIN = 0;
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

/** Numbers with this first value and step, in blocks of 128 with four parts. */
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

/** Texts that each repeat the one before with an additional "a". */
function growing(count: number): Buffer {
  return Buffer.concat([deltas(count, 0, 1), deltas(count, 1, 0), Buffer.alloc(count, 'a')]);
}

/** Which limit is exceeded first depends on the machine. */
const TOO_MUCH =
  /^hostile\.parquet cannot be read \(its next rows need more than (800 MB of memory|10 s of processor time)\)\. Write it again with fewer rows in each of its row groups\.$/;
const DAMAGED =
  'hostile.parquet begins as Parquet but is damaged or cut off (its content does not follow the format). Download or write it again.';

test.each([
  ['version 1', encodePage, 0],
  ['version 1 with nulls', encodePage, 2],
  ['version 2', encodeSecondPage, 0],
])('texts that repeat the beginnings of those before are read: %s', async (_what, write, nulls) => {
  const levels = nulls === 0 ? Buffer.alloc(0) : sized(runs([nulls, 0], [3, 1]));
  const rows = nulls + 3;
  const page = write({ count: rows, encoding: DELTA_TEXTS, packed: Buffer.concat([levels, growing(3)]) });
  const ended = await outcome(encodeParquet({ rows, pages: [page], isOptional: nulls > 0 }));
  // The first texts that are there are one, two and three letters.
  if (nulls > 0) expect(ended).toContain('row 1, field persona_id: expected a text, found nothing.');
  expect(ended).toContain(`row ${rows - 1}, field instance_type:`);
  expect(ended).toContain('found "aa"');
});

test('texts of 200 KB that grow to 20 GB are rejected', async () => {
  const count = 200_000;
  const page = encodePage({ count, encoding: DELTA_TEXTS, packed: growing(count) });
  expect(await outcome(encodeParquet({ rows: count, pages: [page] }))).toMatch(TOO_MUCH);
});

test('pages that are large only together are rejected', async () => {
  const sizeBytes = 64_000_000;
  const plain = Buffer.alloc(sizeBytes, 'a');
  plain.writeUInt32LE(sizeBytes - 4);
  const page = encodePage({ count: 1, encoding: PLAIN, packed: gzipSync(plain), sizeBytes });
  const pages = Array.from({ length: 6 }, () => page);
  expect(await outcome(encodeParquet({ rows: 6, pages, codec: 'gzip' }))).toMatch(TOO_MUCH);
});

test.each([
  [
    'blocks of differences that lead back',
    {
      count: 100,
      encoding: DELTA_TEXTS,
      packed: Buffer.concat([Buffer.from('ffffffff0fffffffff0f', 'hex'), Buffer.alloc(20)]),
    },
    false,
  ],
  [
    'levels that continue in what follows them',
    { count: 10, encoding: PLAIN, packed: Buffer.concat([sized(Buffer.alloc(0)), runs([50_000_000, 0])]) },
    true,
  ],
  ['a text that is not UTF-8', { count: 1, encoding: PLAIN, packed: sized(Buffer.of(0xff, 0xfe)) }, false],
  [
    'an encoding that the type does not have',
    {
      count: 10,
      encoding: 3,
      packed: Buffer.concat([sized(runs([10, 0])), runs([50_000_000, 0])]),
    },
    false,
  ],
])('rejected: %s', async (_what, page, isOptional) => {
  const bytes = encodeParquet({ rows: page.count, pages: [encodePage(page)], isOptional });
  expect(await outcome(bytes)).toBe(DAMAGED);
});

test('a zstd page of a gigabyte that claims a hundred bytes takes no memory for it', async () => {
  const packed = encodeZstdZeros({ length: 1_000_000_000 });
  const page = encodePage({ count: 1, encoding: PLAIN, packed, sizeBytes: 100 });
  const before = process.resourceUsage().maxRSS;
  expect(await outcome(encodeParquet({ rows: 1, pages: [page], codec: 'zstd' }))).toBe(DAMAGED);
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(200_000);
});

test('a hundred million rows of nothing in a small file are rejected', async () => {
  const packed = gzipSync(sized(runs([1_000_000, 0])));
  const page = encodePage({ count: 1_000_000, encoding: PLAIN, packed, sizeBytes: 8 });
  const bytes = encodeParquet({
    rows: 1_000_000,
    groups: 100,
    pages: [page],
    codec: 'gzip',
    isOptional: true,
  });
  // All rows are checked, and the first problems listed.
  expect(await readTableOutcome(folder, 'hostile.parquet', bytes)).toMatch(
    /^hostile\.parquet begins as Parquet but is damaged or cut off \(it claims more rows than it has bytes\)/,
  );
});

test('texts that share a megabyte are rejected before each is checked', async () => {
  const sizeBytes = 1_000_000;
  const plain = Buffer.alloc(sizeBytes, 'a');
  plain.writeUInt32LE(sizeBytes - 4);
  const count = 3_000;
  const places = gzipSync(Buffer.concat([Buffer.of(1), runs([count, 0])]));
  const pages = [
    encodePage({ kind: 'dictionary', count: 1, encoding: PLAIN, packed: gzipSync(plain), sizeBytes }),
    encodePage({ count, encoding: DICTIONARY, packed: places, sizeBytes: 4 }),
  ];
  expect(await outcome(encodeParquet({ rows: count, pages, codec: 'gzip', paddingBytes: count }))).toMatch(
    TOO_MUCH,
  );
});

test.each([
  ['all of it', Buffer.from('PARE....PARE')],
  [
    'its columns only',
    encodeParquet({ rows: 3, isEncrypted: true, pages: [Buffer.alloc(40, 0xff)], isOptional: true }),
  ],
])('an encrypted file is not called damaged: %s', async (_what, bytes) => {
  expect(await outcome(bytes)).toBe('hostile.parquet is encrypted. Write it again without encryption.');
});
