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
 * Returns the ids of those of some batches that are ours, the oldest first. The provider lists the latest first, and nothing is read that is older than
 * the time of sending.
 * @param read returns whether a batch is ours, and when it was created, in milliseconds
 */
export async function findOwn(
  batches: AsyncIterable<unknown>,
  sentAtMs: number,
  read: (batch: unknown) => { readonly id: string; readonly isOwn: boolean; readonly createdMs: number },
): Promise<string[]> {
  const own: string[] = [];
  for await (const one of batches) {
    const { id, isOwn, createdMs } = read(one);
    if (isOwn) own.unshift(id);
    else if (createdMs < sentAtMs - CLOCKS_APART_MS) break;
  }
  return own;
}

/** The provider's clock and ours may differ by this. */
const CLOCKS_APART_MS = 60 * 60_000;

/** Identifies what a batch is submitted with, a key above all, by the first digits of a SHA-256. */
export function identifyAccount(...parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
