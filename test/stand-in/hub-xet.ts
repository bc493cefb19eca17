import { randomUUID } from 'node:crypto';
import { answerJson, answerRefusal, type Answer, type Call } from './hub-http';
import type { HubRepository } from './hub-repository';
import { findToken } from './hub-users';

/**
 * The store of uploads by Xet: xorbs hold the chunks of files, shards list the xorbs, and which of them make up which file. It keeps
 * sizes and hashes, and no contents: a file that was uploaded in this way has zeros.
 */
export class XetStore {
  /** Repositories by the token that may write to them. */
  readonly #grants = new Map<string, HubRepository>();
  /** Sizes by hash. */
  readonly #xorbs = new Map<string, number>();

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
    this.#xorbs.set(hash, call.body.length);
    return answerJson(200, { was_inserted: inserted });
  }

  /** Handles `POST /v1/shards`: the repository gets all its files, or none. */
  putShard(call: Call): Answer {
    const repository = this.#repositoryOf(call);
    if (repository === undefined) return UNAUTHORIZED;
    const { files, xorbs } = readShard(call.body);
    for (const { hash, bytes } of xorbs) {
      const received = this.#xorbs.get(hash);
      if (received !== bytes) throw new Error(`the xorb ${hash} has ${received} bytes, not ${bytes}`);
    }
    for (const { sha256, bytes } of files) repository.objects.set(sha256, Buffer.alloc(bytes));
    return answerJson(200, { result: 1 });
  }

  #repositoryOf(call: Call): HubRepository | undefined {
    return this.#grants.get(findToken(call) ?? '');
  }
}

const UNAUTHORIZED = answerRefusal(401, 'Unauthorized');

const MAGIC = Buffer.concat([
  Buffer.from('HFRepoMetaData\0', 'latin1'),
  Buffer.from([85, 105, 103, 69, 106, 123, 129, 87, 131, 165, 189, 217, 92, 205, 209, 74, 169]),
]);
const SHARD_HEAD = MAGIC.length + 16;
/** Every part of a shard is a multiple of it. */
const LINE = 48;
const BOOKEND = 'f'.repeat(64);

interface Shard {
  readonly files: readonly { readonly sha256: string; readonly bytes: number }[];
  readonly xorbs: readonly { readonly hash: string; readonly bytes: number }[];
}

/**
 * Reads the files and the xorbs that a shard lists, as the JavaScript client writes it.
 * @throws Error when the bytes are no shard
 */
function readShard(shard: Buffer): Shard {
  if (!shard.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('no shard');
  const hashAt = (at: number) =>
    Buffer.from(shard.subarray(at, at + 32))
      .swap64()
      .toString('hex');
  const files: Shard['files'][number][] = [];
  let at = SHARD_HEAD;
  while (hashAt(at) !== BOOKEND) {
    const count = shard.readUInt32LE(at + 36);
    const sizes = Array.from({ length: count }, (_, term) => shard.readUInt32LE(at + (term + 1) * LINE + 36));
    // Its terms, a proof for each, and its SHA-256.
    at += LINE * (2 * count + 1);
    files.push({ sha256: hashAt(at), bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) });
    at += LINE;
  }
  const xorbs: Shard['xorbs'][number][] = [];
  for (at += LINE; hashAt(at) !== BOOKEND; at += LINE * (shard.readUInt32LE(at + 36) + 1)) {
    xorbs.push({ hash: hashAt(at), bytes: shard.readUInt32LE(at + 44) });
  }
  return { files, xorbs };
}
