import * as z from 'zod';
import { describeIssues } from '../../schemas/text/issues';
import { getReason } from '../store/data-error';
import { HubError } from './hub-error';
import { formatValue } from '../../schemas/text/value-text';

/** A file of a repository as the Hub lists it. */
export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  /** Identifies the content: SHA-256 of a large file (`sha256`), else Git's hash of a small one. Hexadecimal. */
  readonly hash: string;
  readonly kind: 'sha256' | 'git';
}

/** Returns whether the text is a commit's full hash. Only such texts from the Hub become part of a path. */
export function isCommit(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** @throws HubError when the Hub's commit has another form */
export function requireCommit(sha: unknown, dataSet: string): string {
  if (typeof sha === 'string' && isCommit(sha)) return sha;
  throw new HubError(
    `The Hub names ${formatValue(sha)} as the commit of ${dataSet}, but a commit is 40 hexadecimal digits. ` +
      'Check HF_ENDPOINT: it does not point to a Hub.',
  );
}

/**
 * Returns a file as the Hub's client lists it.
 * @throws HubError when the entry is not in the Hub's form
 */
export function parseListedFile(entry: unknown): ListedFile {
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success)
    throw createUnreadableAnswerError('list of files', describeIssues('an entry', parsed.error, entry));
  const { path, size, oid, lfs } = parsed.data;
  return lfs === undefined
    ? { path, bytes: size, hash: oid, kind: 'git' }
    : { path, bytes: lfs.size, hash: lfs.oid, kind: 'sha256' };
}

const sizeSchema = z.number().int().nonnegative();
const entrySchema = z.object({
  path: z.string(),
  size: sizeSchema,
  oid: z.string().regex(/^[0-9a-f]{40}$/),
  lfs: z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: sizeSchema }).optional(),
});

/** Returns whether a repository's path stays below the directory that it is joined to. */
export function isPathBelow(path: string): boolean {
  const parts = path.split('/');
  return (
    path.length <= 1024 &&
    !/[\\\p{Cc}]/u.test(path) &&
    parts.every((part) => !['', '.', '..'].includes(part) && Buffer.byteLength(part) <= 255)
  );
}

/** Returns the error for an answer of the Hub in an unknown form. */
export function createUnreadableAnswerError(contents: string, cause: unknown): HubError {
  return new HubError(
    `The Hub's ${contents} cannot be read (${getReason(cause)}). Check HF_ENDPOINT and any proxy: the answer is not from a Hub.`,
    { cause },
  );
}

/**
 * Finds the delay before the next try, in milliseconds: the delay in one of the Hub's two headers, at least `leastMs`. Undefined if it is
 * longer than a user would wait.
 */
export function findPauseMs(headers: Headers, leastMs: number): number | undefined {
  const [, seconds] = /^\s*(\d+)\s*$/.exec(headers.get('retry-after') ?? '') ?? [];
  const [, left] = /;\s*t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const askedMs = 1000 * Number(seconds ?? left ?? 0);
  return askedMs > LONGEST_PAUSE_MS ? undefined : Math.max(askedMs, leastMs);
}

/** The Hub counts requests over five minutes. */
const LONGEST_PAUSE_MS = 330_000;
