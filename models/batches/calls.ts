import type { ModelSpec } from '../../schemas/model/model-spec';
import { callProvider, CALL_TIMEOUT_MS } from '../call';
import type { Caller } from '../errors/failure';
import { formatKeyHint } from '../keys';

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
