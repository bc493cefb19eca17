import { setMaxListeners } from 'node:events';
import { ModelError } from './errors/error';
import type { ModelAnswer } from './model';
import { computeTimeoutMs, type Send } from './parameters';
import {
  RETRYABLE_ADVICE,
  classifyFailure,
  WireFailure,
  type Caller,
  type ProviderFailure,
} from './errors/failure';

/** Maximum duration of a call, in milliseconds, from asking to the last byte of the answer: ten minutes. */
export const CALL_TIMEOUT_MS = 10 * 60_000;

/**
 * Makes one call to a provider, with a time limit and an abort signal, and classifies its errors.
 * @param send asks, and gives up when its signal is aborted
 * @param failureOf finds the provider's failure in an error; undefined for a bug, which is thrown on unchanged
 * @throws ModelError, or the reason of `signal`
 */
export async function callProvider<T>(
  caller: Caller,
  signal: AbortSignal,
  timeoutMs: number,
  send: (signal: AbortSignal) => Promise<T>,
  failureOf: (error: unknown) => ProviderFailure | undefined = findWireFailure,
): Promise<T> {
  const createError = () => createTimeoutError(caller, timeoutMs);
  return limitTime(signal, timeoutMs, createError, async (stop) => {
    try {
      return await send(stop);
    } catch (error) {
      stop.throwIfAborted();
      const failure = failureOf(error);
      throw failure === undefined ? error : classifyFailure(caller, failure);
    }
  });
}

/**
 * Does something with a time limit and an abort signal.
 * @param act gives up when its signal is aborted; it is not waited for
 * @throws the created error after the time, or the reason of `signal`
 */
export async function limitTime<T>(
  signal: AbortSignal,
  timeoutMs: number,
  createError: () => Error,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(createError()), timeoutMs);
  const passOn = () => stop.abort(signal.reason);
  // Many calls share the signal. Node.js warns of more than ten listeners, and with `AbortSignal.any` it would keep every call in memory.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', passOn, { once: true });
  try {
    // Raced, because steps before the request (fetching AWS credentials) ignore signals.
    return await Promise.race([act(stop.signal), rejectOnAbort(stop.signal)]);
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', passOn);
  }
}

/**
 * Returns a function that asks a provider once.
 * @param ask must give up when its signal is aborted
 */
export function createSend(
  caller: Caller,
  timeoutMs: number,
  ask: (...call: Parameters<Send>) => Promise<ModelAnswer>,
  failureOf?: (error: unknown) => ProviderFailure | undefined,
): Send {
  return (request, parameters, signal) =>
    callProvider(
      caller,
      signal,
      computeTimeoutMs(parameters, timeoutMs),
      (stop) => ask(request, parameters, stop),
      failureOf,
    );
}

/** Parses a stream piece by piece, with errors classified. */
export async function* parseStream<Piece, T>(
  caller: Caller,
  pieces: AsyncIterable<Piece>,
  parse: (piece: Piece) => T,
): AsyncGenerator<T> {
  try {
    for await (const piece of pieces) yield parse(piece);
  } catch (error) {
    const failure = findWireFailure(error);
    throw failure === undefined ? error : classifyFailure(caller, failure);
  }
}

/** Finds the failure inside an error, because the SDKs wrap errors of their `fetch`. */
export function findWireFailure(error: unknown): ProviderFailure | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause instanceof WireFailure) return cause.failure;
  }
  return undefined;
}

function createTimeoutError(caller: Caller, timeoutMs: number): ModelError {
  return new ModelError(
    'timeout',
    `${caller.spec} did not answer within ${timeoutMs / 1000} s. ${RETRYABLE_ADVICE}`,
  );
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
