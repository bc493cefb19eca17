import {
  fileHash,
  getChunks,
  hashToHex,
  hexToBytes,
  hmac,
  verificationHash,
  xorbHash,
} from '@huggingface/xetchunk-wasm';
import { decompressLz4Frame } from '../../data/readers/arrow/lz4-frame';

/** A piece of a file in a xorb. */
export interface XetChunk {
  readonly hash: string;
  readonly bytes: Buffer;
  /** Offset in the xorb, with its header; and that of the next one. */
  readonly from: number;
  readonly to: number;
}

/** A run of chunks of one xorb: files are sequences of these. The end is exclusive. */
export interface XetTerm {
  readonly xorb: string;
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

export interface XetFile {
  readonly hash: string;
  readonly terms: readonly XetTerm[];
  /** For each term, the proof that its sender has its chunks; an older form of shard has none. */
  readonly verification: readonly string[];
  /** SHA-256 of the whole file, in hexadecimal. */
  readonly sha256: string | undefined;
}

/** A shard's description of a xorb. */
export interface XetXorb {
  readonly hash: string;
  readonly chunks: readonly { readonly hash: string; readonly length: number }[];
}

/**
 * Reads the chunks of a xorb, unpacked and hashed again.
 * @throws Error when the bytes are no xorb, or a chunk does not match its header
 */
export function readXorb(xorb: Buffer): XetChunk[] {
  const chunks: XetChunk[] = [];
  let at = 0;
  // Data that some clients add after the chunks begin with letters.
  while (at < xorb.length && xorb.readUInt8(at) === CHUNK_VERSION) {
    const packed = xorb.readUIntLE(at + 1, 3);
    const scheme = xorb.readUInt8(at + 4);
    const length = xorb.readUIntLE(at + 5, 3);
    const from = at;
    at += CHUNK_HEADER;
    if (at + packed > xorb.length) throw new Error('a chunk is cut off');
    const bytes = unpacked(xorb.subarray(at, at + packed), scheme, length);
    if (bytes.length !== length) throw new Error(`a chunk has ${bytes.length} bytes, not ${length}`);
    at += packed;
    chunks.push({ hash: chunkHash(bytes), bytes, from, to: at });
  }
  if (chunks.length === 0) throw new Error('a xorb without chunks');
  return chunks;
}

const CHUNK_VERSION = 0;
const CHUNK_HEADER = 8;

function unpacked(packed: Buffer, scheme: number, length: number): Buffer {
  if (scheme === 0) return Buffer.from(packed);
  const plain = Buffer.from(decompressLz4Frame(packed, length));
  if (scheme === 1) return plain;
  if (scheme === 2) return regrouped(plain);
  throw new Error(`compression ${scheme}`);
}

/** Undoes the grouping of every fourth byte: first all bytes 0, 4, 8 …, then 1, 5, 9 …, and so on. */
function regrouped(grouped: Buffer): Buffer {
  const bytes = Buffer.alloc(grouped.length);
  let read = 0;
  for (let group = 0; group < 4; group++) {
    for (let at = group; at < bytes.length; at += 4) bytes.writeUInt8(grouped.readUInt8(read++), at);
  }
  return bytes;
}

/** Hashes a chunk by the clients' chunker, which hashes what it cuts; with such a large target it does not cut a chunk again. */
function chunkHash(bytes: Buffer): string {
  const [chunk, ...others] = getChunks(bytes, NEVER_CUT);
  if (chunk === undefined || others.length > 0) throw new Error(`a chunk of ${bytes.length} bytes`);
  return hashToHex(chunk.hash);
}

/** The minimum length is an eighth of it, and chunks have at most 128 kB. */
const NEVER_CUT = 8 * 256 * 1024;

export function hashOfXorb(chunks: readonly XetChunk[]): string {
  return hashToHex(
    xorbHash(chunks.map(({ hash, bytes }) => ({ hash: hexToBytes(hash), length: bytes.length }))),
  );
}

export function hashOfFile(chunks: readonly XetChunk[]): string {
  return hashToHex(
    fileHash(chunks.map(({ hash, bytes }) => ({ hash: hexToBytes(hash), length: bytes.length }))),
  );
}

export function hashOfRange(chunks: readonly XetChunk[]): string {
  return hashToHex(verificationHash(chunks.map(({ hash }) => hexToBytes(hash))));
}

/**
 * Reads the files and xorbs that a shard lists.
 * @throws Error when the bytes are no shard
 */
export function readShard(shard: Buffer): { files: XetFile[]; xorbs: XetXorb[] } {
  const reader = new Reader(shard);
  if (!reader.take(MAGIC.length).equals(MAGIC)) throw new Error('no shard');
  const version = reader.u64();
  if (version !== SHARD_VERSION) throw new Error(`version ${version} of shards`);
  reader.u64();
  return { files: readFiles(reader), xorbs: readXorbs(reader) };
}

function readFiles(reader: Reader): XetFile[] {
  const files: XetFile[] = [];
  for (;;) {
    const hash = reader.hash();
    const flags = reader.u32();
    const count = reader.u32();
    reader.u64();
    if (hash === BOOKEND) return files;
    const terms = Array.from({ length: count }, () => {
      const xorb = reader.hash();
      reader.u32();
      const length = reader.u32();
      return { xorb, length, start: reader.u32(), end: reader.u32() };
    });
    const verification = flags >= 0x8000_0000 ? Array.from({ length: count }, () => reader.padded()) : [];
    const sha256 = (flags & 0x4000_0000) === 0 ? undefined : reader.padded();
    files.push({ hash, terms, verification, sha256 });
  }
}

function readXorbs(reader: Reader): XetXorb[] {
  const xorbs: XetXorb[] = [];
  for (;;) {
    const hash = reader.hash();
    reader.u32();
    const count = reader.u32();
    reader.u64();
    if (hash === BOOKEND) return xorbs;
    const chunks = Array.from({ length: count }, () => {
      const chunk = reader.hash();
      reader.u32();
      const length = reader.u32();
      reader.u64();
      return { hash: chunk, length };
    });
    xorbs.push({ hash, chunks });
  }
}

/**
 * Builds a shard that shows the owner of a chunk which xorbs hold it. The chunks' hashes are keyed, so that nobody learns others from it.
 */
export function buildDeduplicationShard(xorbs: readonly XetXorb[], key: string, expires: number): Buffer {
  const keyed = (hash: string) => hashBytes(hashToHex(hmac(hexToBytes(hash), hexToBytes(key))));
  const infos = xorbs.map(({ hash, chunks }) => {
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    let offset = 0;
    const lines = chunks.map((chunk) => {
      const line = Buffer.concat([keyed(chunk.hash), numbers(offset, chunk.length, 0, 0)]);
      offset += chunk.length;
      return line;
    });
    return Buffer.concat([hashBytes(hash), numbers(0, chunks.length, length, length), ...lines]);
  });
  const bookend = Buffer.concat([Buffer.alloc(32, 0xff), Buffer.alloc(16)]);
  const head = Buffer.concat([MAGIC, longs(SHARD_VERSION, FOOTER)]);
  const xorbsFrom = head.length + bookend.length;
  const body = Buffer.concat([head, bookend, ...infos, bookend]);
  const footer = Buffer.concat([
    longs(1, head.length, xorbsFrom),
    // Positions of the lookup tables, all of them empty.
    longs(body.length, 0, body.length, 0, body.length, 0),
    hashBytes(key),
    longs(0, expires, 0, 0, 0, 0, 0, 0, 0, 0, 0, body.length),
  ]);
  return Buffer.concat([body, footer]);
}

const MAGIC = Buffer.concat([
  Buffer.from('HFRepoMetaData\0', 'latin1'),
  Buffer.from([85, 105, 103, 69, 106, 123, 129, 87, 131, 165, 189, 217, 92, 205, 209, 74, 169]),
]);
const SHARD_VERSION = 2;
const FOOTER = 200;
const BOOKEND = 'f'.repeat(64);

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new Error('a shard is cut off');
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  u64(): number {
    return Number(this.take(8).readBigUInt64LE());
  }

  hash(): string {
    return swapped(this.take(32)).toString('hex');
  }

  /** Returns a hash followed by 16 zero bytes. */
  padded(): string {
    const hash = this.hash();
    this.take(16);
    return hash;
  }
}

function hashBytes(hash: string): Buffer {
  return swapped(Buffer.from(hash, 'hex'));
}

/** Swaps bytes: hashes are written as four little-endian numbers, and shown as hexadecimal numbers. */
function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap64();
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

function longs(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), index * 8);
  return bytes;
}
