import { createHash } from 'node:crypto';
import { omitUndefined } from '../../schemas/omit-undefined';
import { callProvider, CALL_TIMEOUT_MS } from '../call';
import { classifyFailure, isUnpaid, WireFailure, type Caller, type ProviderFailure } from '../errors/failure';
import type { ModelAnswer } from '../model';
import type { BatchResult, BatchState } from './batch';

/** Returns a function that makes calls about a provider's batches, with errors classified. The calls cannot be aborted. */
export function createBatchCalls(
  caller: Caller,
  failureOf?: (error: unknown) => ProviderFailure | undefined,
): <T>(send: (signal: AbortSignal) => Promise<T>) => Promise<T> {
  return (send) => callProvider(caller, new AbortController().signal, CALL_TIMEOUT_MS, send, failureOf);
}

/** Returns the state of a batch that has ended. @param labels the provider's names for the reason of one that failed */
export function createEndedState(
  caller: Caller,
  outcome: Extract<BatchState, { readonly state: 'ended' }>['outcome'],
  message: string | undefined,
  labels: readonly string[] = [],
): BatchState {
  const failure = { status: 400, how: 'failed a batch', labels, message: message ?? '' };
  const unpaid = outcome === 'failed' && isUnpaid(failure) ? classifyFailure(caller, failure) : undefined;
  return { state: 'ended', outcome, ...omitUndefined({ message, unpaid }) };
}

/**
 * Returns the result of one request. An answer that contains a failure, or broke off, is an error of its request, and does not end the results.
 * @param read parses the answer, and throws a WireFailure if it is none
 */
export function readResult(caller: Caller, customId: string, read: () => ModelAnswer): BatchResult {
  try {
    return { customId, answer: read() };
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    return { customId, error: classifyFailure(caller, error.failure) };
  }
}

/**
 * Returns the ids of the batches that are ours, oldest first. The provider lists the latest first; reading stops at batches older than the time of
 * sending.
 * @param read returns whether a batch is ours, and its creation time in milliseconds
 */
export async function findOwn(
  batches: AsyncIterable<unknown>,
  sentAtMs: number,
  read: (batch: unknown) => { readonly id: string; readonly isOwn: boolean; readonly createdMs: number },
): Promise<string[]> {
  const ids: string[] = [];
  for await (const batch of batches) {
    const { id, isOwn, createdMs } = read(batch);
    if (isOwn) ids.unshift(id);
    else if (createdMs < sentAtMs - CLOCKS_APART_MS) break;
  }
  return ids;
}

/** Maximum difference between the provider's clock and ours. */
const CLOCKS_APART_MS = 60 * 60_000;

/** Identifies the account of a batch, above all its key, by the first digits of a SHA-256. */
export function identifyAccount(...parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
