import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Transfer } from './hub-faults';
import { answerJson, answerRefusal, type Answer, type Call } from './hub-http';
import type { HubRepository } from './hub-repository';

const batchSchema = z.object({
  operation: z.literal('upload'),
  transfers: z.array(z.string()).optional(),
  hash_algo: z.string().optional(),
  objects: z.array(
    z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.number().int().nonnegative() }),
  ),
});

/** Returns the headers with the access token and the addresses of Xet, for the answer to a batch. */
export type XetHeaders = () => Record<string, string>;

/** The Hub's side of LFS, and its object store. */
export class LargeFiles {
  transfer: Transfer = 'basic';
  largestObject = Infinity;
  /** Uploads that a signed address of the store allows; all other addresses are refused. */
  readonly #signed = new Map<string, { repository: HubRepository; oid: string; size: number }>();

  /** Handles `POST /datasets/NAME.git/info/lfs/objects/batch`: existing objects have no action. */
  batch(call: Call, repository: HubRepository, xetHeaders: XetHeaders): Answer {
    const parsed = batchSchema.safeParse(JSON.parse(call.body.toString('utf8')));
    if (!parsed.success) return answerRefusal(422, z.prettifyError(parsed.error));
    const { transfers = ['basic'], objects } = parsed.data;
    // A client that does not support the transfer of this Hub gets the plain one.
    const transfer = transfers.includes(this.transfer) ? this.transfer : 'basic';
    const answered = objects.map(({ oid, size }) => {
      const there = repository.objects.has(oid);
      if (size > this.largestObject) {
        return {
          oid,
          size,
          error: { code: 422, message: `Size ${size} exceeds the limit of ${this.largestObject} bytes` },
        };
      }
      if (there) return { oid, size };
      const upload = this.#upload(call, repository, transfer, oid, size, xetHeaders);
      return {
        oid,
        size,
        authenticated: true,
        actions: { upload },
      };
    });
    return answerJson(
      200,
      { transfer, objects: answered, hash_algo: 'sha256' },
      { 'content-type': LFS_TYPE, 'x-request-id': randomUUID() },
    );
  }

  #upload(
    call: Call,
    repository: HubRepository,
    transfer: Transfer,
    oid: string,
    size: number,
    xetHeaders: XetHeaders,
  ): { href: string; header?: Record<string, string> } {
    if (transfer === 'xet') {
      return {
        href: `${call.hub}/api/datasets/${repository.name}/xet-write-token/main`,
        header: xetHeaders(),
      };
    }
    const id = randomUUID();
    this.#signed.set(id, { repository, oid, size });
    return { href: `${call.store}/objects/${repository.name}/${oid}?X-Amz-Signature=${id}` };
  }

  /** Handles `PUT` of an object to the address that the batch named. */
  put(call: Call): Answer {
    // Like the real store: a signed address excludes other authorization.
    if (call.headers.authorization !== undefined) return notAllowed('Only one auth mechanism allowed');
    const { searchParams } = call.url;
    const etag = `"${createHash('md5').update(call.body).digest('hex')}"`;
    const signed = this.#signed.get(searchParams.get('X-Amz-Signature') ?? '');
    if (signed === undefined) return notAllowed('SignatureDoesNotMatch', 403);
    const wrong = keep(signed.repository, signed.oid, signed.size, call.body);
    return wrong ?? { status: 200, headers: { etag }, body: Buffer.alloc(0) };
  }
}

const LFS_TYPE = 'application/vnd.git-lfs+json';

/** Stores a valid object; else returns its problem. */
function keep(repository: HubRepository, oid: string, size: number, content: Buffer): Answer | undefined {
  if (content.length !== size) return notAllowed(`The object has ${content.length} bytes, not ${size}.`);
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (sha256 !== oid) return notAllowed(`The object's SHA-256 is ${sha256}, not ${oid}.`);
  repository.objects.set(oid, content);
  return undefined;
}

/** Returns an error in XML, as the store does. */
function notAllowed(message: string, status = 400): Answer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Message>${message}</Message></Error>`),
  };
}
