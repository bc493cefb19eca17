import { createHash, randomUUID } from 'node:crypto';
import { answerBytes, answerJson, parseRanges, answerRefusal, type Answer, type Call } from './hub-http';
import type { HubRepository } from './hub-repository';
import { findToken } from './hub-users';
import {
  buildDeduplicationShard,
  hashOfFile,
  hashOfRange,
  hashOfXorb,
  readShard,
  readXorb,
  type XetChunk,
  type XetFile,
  type XetTerm,
  type XetXorb,
} from './hub-xet-format';

interface Grant {
  readonly repository: HubRepository;
  readonly writes: boolean;
}

interface Xorb {
  readonly bytes: Buffer;
  readonly chunks: readonly XetChunk[];
}

/** Xet's store of content: xorbs hold the chunks of files, shards list which files are made of which chunks. */
export class XetStore {
  readonly #grants = new Map<string, Grant>();
  readonly #xorbs = new Map<string, Xorb>();
  readonly #files = new Map<string, XetFile>();
  /** Xorbs of the shard by chunks that can be searched for. */
  readonly #known = new Map<string, readonly XetXorb[]>();

  /** Handles `/api/datasets/NAME/xet-read-token/REV` and `…/xet-write-token/REV`. */
  token(call: Call, repository: HubRepository, writes: boolean): Answer {
    const grant = this.#grant(repository, writes);
    const body = { accessToken: grant.token, casUrl: call.store, exp: grant.expires };
    return answerJson(200, body, headersOf(grant, call.store));
  }

  /** Returns the headers of an LFS batch for an upload by Xet. */
  batchHeaders(repository: HubRepository, store: string): Record<string, string> {
    return { 'X-Xet-Session-Id': randomUUID(), ...headersOf(this.#grant(repository, true), store) };
  }

  #grant(repository: HubRepository, writes: boolean): { token: string; expires: number } {
    const token = `xet_${writes ? 'write' : 'read'}_${randomUUID()}`;
    this.#grants.set(token, { repository, writes });
    return { token, expires: Math.floor(Date.now() / 1000) + 3600 };
  }

  /** Handles `POST /v1/xorbs/default/HASH`. */
  putXorb(call: Call, hash: string): Answer {
    const grant = this.#allowed(call, true);
    if ('status' in grant) return grant;
    let chunks: XetChunk[];
    try {
      chunks = readXorb(call.body);
    } catch (error) {
      return answerRefusal(400, `No xorb: ${String(error)}`);
    }
    const found = hashOfXorb(chunks);
    if (found !== hash) return answerRefusal(400, `The xorb's hash is ${found}, not ${hash}.`);
    const inserted = !this.#xorbs.has(hash);
    this.#xorbs.set(hash, { bytes: call.body, chunks });
    return answerJson(200, { was_inserted: inserted });
  }

  /** Handles `POST /v1/shards` and `/v2/…`: the repository gets all its files, or none. */
  putShard(call: Call, version: string): Answer {
    const grant = this.#allowed(call, true);
    if ('status' in grant) return grant;
    let shard: ReturnType<typeof readShard>;
    let contents: Buffer[];
    try {
      shard = readShard(call.body);
      contents = shard.files.map((file) => this.#content(file));
    } catch (error) {
      return answerRefusal(400, `No shard: ${String(error)}`);
    }
    const unseen = shard.xorbs.find(({ hash }) => !this.#xorbs.has(hash));
    if (unseen !== undefined)
      return answerRefusal(400, `The shard names a xorb that is not here: ${unseen.hash}`);
    const known = shard.files.every(({ hash }) => this.#files.has(hash));
    for (const [index, file] of shard.files.entries()) {
      this.#files.set(file.hash, file);
      const content = contents[index];
      if (file.sha256 !== undefined && content !== undefined) {
        grant.repository.objects.set(file.sha256, { bytes: content, xetHash: file.hash });
      }
    }
    for (const chunk of searchable(shard)) this.#known.set(chunk, shard.xorbs);
    return version === 'v2' ? progress(shard.files.length) : answerJson(200, { result: known ? 0 : 1 });
  }

  /** Assembles a file and checks its shard's statements about it. */
  #content(file: XetFile): Buffer {
    const runs = file.terms.map((term, index) => {
      const xorb = this.#xorbs.get(term.xorb);
      if (xorb === undefined) throw new Error(`the xorb ${term.xorb} is not here`);
      const run = xorb.chunks.slice(term.start, term.end);
      const length = run.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
      if (run.length !== term.end - term.start || length !== term.length) {
        throw new Error(
          `the chunks ${term.start} to ${term.end} of ${term.xorb} are ${length} bytes, not ${term.length}`,
        );
      }
      if (file.verification[index] !== hashOfRange(run))
        throw new Error(`the verification of ${term.xorb} is wrong`);
      return run;
    });
    const chunks = runs.flat();
    const hash = chunks.length === 0 ? file.hash : hashOfFile(chunks);
    if (hash !== file.hash) throw new Error(`the file's hash is ${hash}, not ${file.hash}`);
    const content = Buffer.concat(chunks.map((chunk) => chunk.bytes));
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (file.sha256 !== undefined && file.sha256 !== sha256) {
      throw new Error(`the file's SHA-256 is ${sha256}, not ${file.sha256}`);
    }
    return content;
  }

  /** Handles `GET /v1/chunks/default-merkledb/HASH` with a shard that locates the chunk and its neighbors, if it is known. */
  findChunk(call: Call, hash: string): Answer {
    const grant = this.#allowed(call, false);
    if ('status' in grant) return grant;
    const xorbs = this.#known.get(hash);
    if (xorbs === undefined) return answerRefusal(404, 'The chunk is not known.');
    const key = createHash('sha256').update(hash).digest('hex');
    const expires = Math.floor(Date.now() / 1000) + 7 * 24 * 3600;
    return answerBytes(call, buildDeduplicationShard(xorbs, key, expires));
  }

  /** Handles `GET /v1/reconstructions/HASH` and `/v2/…` with the parts of xorbs that make up a file, or a range of it. */
  reconstruction(call: Call, version: string, hash: string): Answer {
    const grant = this.#allowed(call, false);
    if ('status' in grant) return grant;
    const file = this.#files.get(hash);
    if (file === undefined) return answerRefusal(404, 'The file is not known.');
    const size = file.terms.reduce((sum, term) => sum + term.length, 0);
    const [range = { from: 0, to: size - 1 }] = parseRanges(call.headers.range, size) ?? [];
    if (range.from >= size && size > 0) return answerRefusal(416, 'Range Not Satisfiable');
    const { terms, skip } = this.#within(file.terms, range);
    const needed = new Map<string, { start: number; end: number }[]>();
    for (const { xorb, start, end } of terms)
      needed.set(xorb, merged([...(needed.get(xorb) ?? []), { start, end }]));
    const body = {
      offset_into_first_range: skip,
      terms: terms.map(({ xorb, length, start, end }) => ({
        hash: xorb,
        unpacked_length: length,
        range: { start, end },
      })),
    };
    const fetched = [...needed].map(([xorb, runs]) => ({
      xorb,
      ranges: runs.map((run) => this.#placeOf(xorb, run)),
    }));
    if (version === 'v2') {
      const xorbs = fetched.map(({ xorb, ranges }) => [
        xorb,
        [{ url: addressOf(call.store, xorb, ranges), ranges }],
      ]);
      return answerJson(200, { ...body, xorbs: Object.fromEntries(xorbs) });
    }
    const info = fetched.map(({ xorb, ranges }) => [
      xorb,
      ranges.map((place) => ({
        range: place.chunks,
        url: addressOf(call.store, xorb, [place]),
        url_range: place.bytes,
      })),
    ]);
    return answerJson(200, { ...body, fetch_info: Object.fromEntries(info) });
  }

  /** Returns the terms that hold a range of the file's bytes, and the offset of the range in the first one. */
  #within(
    terms: readonly XetTerm[],
    range: { from: number; to: number },
  ): { terms: XetTerm[]; skip: number } {
    const within: XetTerm[] = [];
    let at = 0;
    let skip = 0;
    for (const term of terms) {
      const run: { index: number; length: number }[] = [];
      for (let index = term.start; index < term.end; index++) {
        const length = this.#xorbs.get(term.xorb)?.chunks[index]?.bytes.length ?? 0;
        if (at + length > range.from && at <= range.to) {
          if (within.length === 0 && run.length === 0) skip = range.from - at;
          run.push({ index, length });
        }
        at += length;
      }
      const [first, last] = [run[0], run.at(-1)];
      if (first === undefined || last === undefined) continue;
      const length = run.reduce((sum, chunk) => sum + chunk.length, 0);
      within.push({ xorb: term.xorb, start: first.index, end: last.index + 1, length });
    }
    return { terms: within, skip };
  }

  #placeOf(xorb: string, run: { start: number; end: number }): Place {
    const chunks = this.#xorbs.get(xorb)?.chunks.slice(run.start, run.end) ?? [];
    return { chunks: run, bytes: { start: chunks[0]?.from ?? 0, end: (chunks.at(-1)?.to ?? 0) - 1 } };
  }

  /** Handles `GET` of a xorb's bytes at the address of a reconstruction, and only for the bytes that it named. */
  xorbBytes(call: Call, hash: string): Answer {
    const xorb = this.#xorbs.get(hash);
    if (xorb === undefined) return answerRefusal(404, 'The xorb is not known.');
    const signed =
      parseRanges(call.url.searchParams.get('X-Xet-Signed-Range') ?? undefined, xorb.bytes.length) ?? [];
    const wanted = parseRanges(call.headers.range, xorb.bytes.length) ?? [
      { from: 0, to: xorb.bytes.length - 1 },
    ];
    const allowed = wanted.every(({ from, to }) => signed.some((one) => one.from <= from && one.to >= to));
    return allowed
      ? answerBytes(call, xorb.bytes)
      : answerRefusal(403, 'The address is not signed for this range.');
  }

  #allowed(call: Call, writes: boolean): Grant | Answer {
    const grant = this.#grants.get(findToken(call) ?? '');
    if (grant === undefined) return answerRefusal(401, 'Unauthorized');
    return grant.writes || !writes ? grant : answerRefusal(403, 'The token may only read.');
  }
}

/** Reports progress, a line each, as the second version does. */
function progress(total: number): Answer {
  const lines = [
    { type: 'validating', verified: 0, total },
    { type: 'validating', verified: total, total },
    { type: 'committing', stage: 'uploading' },
    { type: 'committing', stage: 'syncing' },
    { type: 'result' },
  ];
  const body = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body };
}

/** Chunk indices with an exclusive end, bytes with an inclusive one. */
interface Place {
  readonly chunks: { readonly start: number; readonly end: number };
  readonly bytes: { readonly start: number; readonly end: number };
}

function headersOf(grant: { token: string; expires: number }, store: string): Record<string, string> {
  return {
    'X-Xet-Cas-Url': store,
    'X-Xet-Access-Token': grant.token,
    'X-Xet-Token-Expiration': String(grant.expires),
  };
}

/** Returns the first chunk of each file, and each 1024th, because others are not searched for. */
function searchable({ files, xorbs }: ReturnType<typeof readShard>): string[] {
  const chunks = new Map(xorbs.map(({ hash, chunks: all }) => [hash, all.map((chunk) => chunk.hash)]));
  const firsts = files.flatMap(({ terms: [term] }) => chunks.get(term?.xorb ?? '')?.[term?.start ?? 0] ?? []);
  const sampled = [...chunks.values()]
    .flat()
    .filter((hash) => Number.parseInt(hash.slice(-3), 16) % 1024 === 0);
  return [...firsts, ...sampled];
}

/** Merges adjacent runs of chunks; returns them in order. */
function merged(runs: readonly { start: number; end: number }[]): { start: number; end: number }[] {
  const whole: { start: number; end: number }[] = [];
  for (const run of runs.toSorted((one, other) => one.start - other.start)) {
    const last = whole.at(-1);
    if (last !== undefined && run.start <= last.end) last.end = Math.max(last.end, run.end);
    else whole.push({ ...run });
  }
  return whole;
}

function addressOf(store: string, xorb: string, places: readonly Place[]): string {
  const ranges = places.map((place) => `${place.bytes.start}-${place.bytes.end}`).join(',');
  return `${store}/xorbs/default/${xorb}?X-Xet-Signed-Range=${encodeURIComponent(`bytes=${ranges}`)}`;
}
