import { createHash, randomUUID } from 'node:crypto';
import { decompressLz4Frame } from '../../data/readers/arrow/lz4-frame';
import { answerJson, answerRefusal, type Answer, type Call } from './hub-http';
import type { HubRepository } from './hub-repository';
import { findToken } from './hub-users';

/** A run of chunks of one xorb: files are sequences of these. The end is exclusive. */
interface Term {
  readonly xorb: string;
  readonly start: number;
  readonly end: number;
}

interface XetFile {
  readonly terms: readonly Term[];
  /** SHA-256 of the whole file, in hexadecimal. */
  readonly sha256: string | undefined;
}

/** The store of uploads by Xet: xorbs hold the chunks of files, shards list which chunks make up which file. Downloads are plain. */
export class XetStore {
  /** Repositories by the token that may write to them. */
  readonly #grants = new Map<string, HubRepository>();
  readonly #xorbs = new Map<string, readonly Buffer[]>();

  /** Returns the headers of an LFS batch for an upload by Xet. */
  batchHeaders(repository: HubRepository, store: string): Record<string, string> {
    const token = `xet_write_${randomUUID()}`;
    this.#grants.set(token, repository);
    return {
      'X-Xet-Session-Id': randomUUID(),
      'X-Xet-Cas-Url': store,
      'X-Xet-Access-Token': token,
      'X-Xet-Token-Expiration': String(Math.floor(Date.now() / 1000) + 3600),
    };
  }

  /** Handles `POST /v1/xorbs/default/HASH`. */
  putXorb(call: Call, hash: string): Answer {
    if (this.#repositoryOf(call) === undefined) return UNAUTHORIZED;
    const inserted = !this.#xorbs.has(hash);
    this.#xorbs.set(hash, readXorb(call.body));
    return answerJson(200, { was_inserted: inserted });
  }

  /** Handles `POST /v1/shards`: the repository gets all its files, or none. */
  putShard(call: Call): Answer {
    const repository = this.#repositoryOf(call);
    if (repository === undefined) return UNAUTHORIZED;
    const contents = readShard(call.body).map((file) => this.#assemble(file));
    for (const [sha256, content] of contents) repository.objects.set(sha256, content);
    return answerJson(200, { result: 1 });
  }

  #assemble({ terms, sha256 }: XetFile): [sha256: string, content: Buffer] {
    const content = Buffer.concat(
      terms.flatMap(({ xorb, start, end }) => {
        const chunks = this.#xorbs.get(xorb)?.slice(start, end) ?? [];
        if (chunks.length !== end - start) throw new Error(`the xorb ${xorb} lacks chunks`);
        return chunks;
      }),
    );
    const found = createHash('sha256').update(content).digest('hex');
    if (sha256 !== found) throw new Error(`the file's SHA-256 is ${found}, not ${sha256}`);
    return [found, content];
  }

  #repositoryOf(call: Call): HubRepository | undefined {
    return this.#grants.get(findToken(call) ?? '');
  }
}

const UNAUTHORIZED = answerRefusal(401, 'Unauthorized');

/**
 * Reads the chunks of a xorb.
 * @throws Error when the bytes are no xorb, or a chunk does not match its header
 */
function readXorb(xorb: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  // Data that some clients add after the chunks begin with letters.
  while (at < xorb.length && xorb.readUInt8(at) === CHUNK_VERSION) {
    const packed = xorb.readUIntLE(at + 1, 3);
    const scheme = xorb.readUInt8(at + 4);
    const length = xorb.readUIntLE(at + 5, 3);
    at += CHUNK_HEADER;
    const bytes = unpack(xorb.subarray(at, at + packed), scheme, length);
    if (bytes.length !== length) throw new Error(`a chunk has ${bytes.length} bytes, not ${length}`);
    at += packed;
    chunks.push(bytes);
  }
  if (chunks.length === 0) throw new Error('a xorb without chunks');
  return chunks;
}

const CHUNK_VERSION = 0;
const CHUNK_HEADER = 8;

function unpack(packed: Buffer, scheme: number, length: number): Buffer {
  if (scheme === 0) return Buffer.from(packed);
  const plain = Buffer.from(decompressLz4Frame(packed, length));
  if (scheme === 1) return plain;
  if (scheme === 2) return regroup(plain);
  throw new Error(`compression ${scheme}`);
}

/** Undoes the grouping of every fourth byte: first all bytes 0, 4, 8 …, then 1, 5, 9 …, and so on. */
function regroup(grouped: Buffer): Buffer {
  const bytes = Buffer.alloc(grouped.length);
  let read = 0;
  for (let group = 0; group < 4; group++) {
    for (let at = group; at < bytes.length; at += 4) bytes.writeUInt8(grouped.readUInt8(read++), at);
  }
  return bytes;
}

const MAGIC = Buffer.concat([
  Buffer.from('HFRepoMetaData\0', 'latin1'),
  Buffer.from([85, 105, 103, 69, 106, 123, 129, 87, 131, 165, 189, 217, 92, 205, 209, 74, 169]),
]);
const SHARD_HEAD = MAGIC.length + 16;
/** Every part of a shard is a multiple of it. */
const LINE = 48;
const BOOKEND = 'f'.repeat(64);

/**
 * Reads the files that a shard lists.
 * @throws Error when the bytes are no shard
 */
function readShard(shard: Buffer): XetFile[] {
  if (!shard.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('no shard');
  const hashAt = (at: number) =>
    Buffer.from(shard.subarray(at, at + 32))
      .swap64()
      .toString('hex');
  const files: XetFile[] = [];
  let at = SHARD_HEAD;
  while (hashAt(at) !== BOOKEND) {
    const flags = shard.readUInt32LE(at + 32);
    const count = shard.readUInt32LE(at + 36);
    at += LINE;
    const terms = Array.from({ length: count }, (_, index) => {
      const from = at + index * LINE;
      return {
        xorb: hashAt(from),
        start: shard.readUInt32LE(from + 40),
        end: shard.readUInt32LE(from + 44),
      };
    });
    // A proof for each term may follow.
    at += count * LINE * (flags >= 0x8000_0000 ? 2 : 1);
    const hasSha256 = (flags & 0x4000_0000) !== 0;
    files.push({ terms, sha256: hasSha256 ? hashAt(at) : undefined });
    if (hasSha256) at += LINE;
  }
  return files;
}
