import { recallSchema } from '../../schemas/evaluation/memory';
import { formatModelName, type ModelSpec } from '../../schemas/model/model-spec';
import { CALL_TIMEOUT_MS } from '../call';
import type { Model } from '../model';
import { openCommand } from './command';
import { MemoryClient, TIMING, type MemoryEvent, type Timing } from './client';
import { MemoryError } from './error';
import type { Transport } from './messages';
import { openModule } from './module';
import { findClientProblem, recallWithRetries, type MemoryProblem } from './recall';
import { openServer } from './server';

export interface MemoryOptions {
  /** Maximum duration of one message, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  readonly observe?: ((event: MemoryEvent) => void) | undefined;
  readonly timing?: Timing;
  /** Aborted when no further message follows. A program is then ended. */
  readonly ended?: AbortSignal;
}

/**
 * Opens a memory system, which answers the step `recall`: it is given the sessions of a user one by one, then asked with the request. A call holds
 * all messages about its user, so a call that is repeated after a crash needs nothing from before. Its errors are MemoryErrors: none becomes a score,
 * or the state of a model.
 */
export function openMemory(spec: ModelSpec, options: MemoryOptions = {}): Model {
  const client = open(spec, options);
  options.ended?.addEventListener('abort', () => client.end(), { once: true });
  let last: Promise<unknown> = Promise.resolve();
  let unusable: { readonly error: MemoryError; readonly atMs: number } | undefined;
  return {
    async ask({ messages }, signal, { stopping = signal } = {}) {
      const recall = recallSchema.parse(JSON.parse(messages.at(-1)?.content ?? ''));
      const askedAtMs = performance.now();
      const ask = async () => {
        stopping.throwIfAborted();
        // The run stops, and does not wait until each user in the queue has failed.
        if (unusable !== undefined && unusable.atMs >= askedAtMs) throw unusable.error;
        try {
          return await recallWithRetries(client, recall, { signal, stopping });
        } catch (error) {
          if (error instanceof MemoryError && error.kind === 'memory-set-up')
            unusable = { error, atMs: performance.now() };
          throw error;
        }
      };
      // A program gets the messages of one user after another, so it needs no locks.
      const pendingContext = client.isProgram ? last.then(ask) : ask();
      last = pendingContext.catch(() => undefined);
      const text = JSON.stringify(await pendingContext);
      return { text, finish: 'complete', model: client.name, usage: { input: 0, output: 0 } };
    },
  };
}

/**
 * Explains why a memory system cannot be used, after two short messages; undefined if it can.
 * @throws the reason of the signal
 */
export async function findMemoryProblem(
  spec: ModelSpec,
  signal: AbortSignal,
): Promise<MemoryProblem | undefined> {
  const client = open(spec, { timeoutMs: CHECK_TIMEOUT_MS });
  try {
    return await findClientProblem(client, signal);
  } finally {
    client.end();
  }
}

/** A program that loads a model first may take longer; the run waits for it. */
const CHECK_TIMEOUT_MS = 20_000;

function open(
  { model: adapter }: ModelSpec,
  { timeoutMs = CALL_TIMEOUT_MS, observe = () => undefined, timing = TIMING }: MemoryOptions,
): MemoryClient {
  const name = formatModelName(`memory:${adapter}`);
  return new MemoryClient(openTransport(adapter, name), { name, timeoutMs, observe, timing });
}

function openTransport(adapter: string, name: string): Transport {
  if (/^https?:/.test(adapter)) return openServer(adapter, name);
  const at = adapter.indexOf(':');
  const target = adapter.slice(at + 1);
  return adapter.slice(0, at) === 'module' ? openModule(target, name) : openCommand(target, name);
}
