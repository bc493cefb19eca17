import type { ModelSpec } from '../../schemas/model/model-spec';
import { callProvider, CALL_TIMEOUT_MS } from '../call';
import type { Caller } from '../errors/failure';
import { formatKeyHint } from '../keys';
import { createHash } from 'node:crypto';

/** The calls about batches of a provider, each with its errors classified. Nobody stops them early. */
export function createBatchCalls(
  provider: Parameters<typeof formatKeyHint>[0],
  spec: ModelSpec,
  apiKey: string,
): {
  readonly caller: Caller;
  readonly call: <T>(send: (signal: AbortSignal) => Promise<T>) => Promise<T>;
} {
  const caller = {
    spec: `${provider}:${spec.model}`,
    keyHint: formatKeyHint(provider),
    secrets: [apiKey],
  };
  return {
    caller,
    call: (send) => callProvider(caller, new AbortController().signal, CALL_TIMEOUT_MS, send),
  };
}

/** Identifies what a batch is submitted with, a key above all, by the first digits of a SHA-256. */
export function identifyAccount(...parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
