import { createHash } from 'node:crypto';
import { callProvider, CALL_TIMEOUT_MS } from '../call';
import type { Caller, ProviderFailure } from '../errors/failure';

/** Makes the calls about batches of a provider, each with its errors classified. Nobody stops them early. */
export function createBatchCalls(
  caller: Caller,
  failureOf?: (error: unknown) => ProviderFailure | undefined,
): <T>(send: (signal: AbortSignal) => Promise<T>) => Promise<T> {
  return (send) => callProvider(caller, new AbortController().signal, CALL_TIMEOUT_MS, send, failureOf);
}

/**
 * The first of some batches that is ours, the latest coming first; undefined when none of those is that were created since it was sent.
 * @param read tells whether it is ours, and when it was created, in milliseconds
 */
export async function findNewest<Batch>(
  batches: AsyncIterable<unknown>,
  sentAtMs: number,
  read: (batch: unknown) => { readonly batch: Batch; readonly isOwn: boolean; readonly createdMs: number },
): Promise<Batch | undefined> {
  for await (const one of batches) {
    const { batch, isOwn, createdMs } = read(one);
    if (isOwn) return batch;
    if (createdMs < sentAtMs - CLOCKS_APART_MS) return undefined;
  }
  return undefined;
}

/** The provider's clock and ours may differ by this. */
const CLOCKS_APART_MS = 60 * 60_000;

/** Identifies what a batch is submitted with, a key above all, by the first digits of a SHA-256. */
export function identifyAccount(...parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
