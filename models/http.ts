import { CALL_TIMEOUT_MS } from './call';
import { sendRequest, type HeaderSource, type HttpExchange } from './exchange';
import { isRedirect, WireFailure, type ProviderFailure } from './errors/failure';
import { findJsonProblem, parseHttpFailure } from './errors/failure-body';

/** What every SDK that takes a `fetch` is opened with: one request per ask, and only our limit on its time. */
export const SDK_OPTIONS = {
  fetch: fetchProvider,
  maxRetries: 0,
  // Beyond ours, so that only callProvider's ends a call.
  timeout: 3 * CALL_TIMEOUT_MS,
  // They log to the console, over the progress on the screen.
  logLevel: 'off',
} as const;

/**
 * Returns the `fetch` that the SDKs are given: answers with a whole JSON body, or throws a WireFailure. The SDKs' own errors
 * are not enough: Google's drops the headers (Retry-After), OpenAI's drops a body without `error` around it (vLLM), and
 * a connection that breaks inside the body reaches the caller bare.
 */
export async function fetchProvider(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const exchange = await exchangeOrFail(input, init);
  const { status, headers, body } = exchange;
  if (isRedirect(status)) throw new WireFailure(describeRedirect(status, headers.get('location')));
  if (status < 200 || status >= 300) throw new WireFailure(parseHttpFailure(status, headers, body));
  requireJson(exchange, headers);
  headers.set('content-type', 'application/json');
  // Of what came over the wire, not of the text.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  return new Response(body, { status, headers });
}

/** Returns the `fetch` for answers that are read line by line: whatever is no such answer is thrown as a WireFailure. */
export async function fetchStream(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return requireOk(await fetchUnfollowed(input, init));
}

async function requireOk(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (isRedirect(status)) throw new WireFailure(describeRedirect(status, headers.get('location')));
  if (status < 200 || status >= 300) {
    throw new WireFailure(parseHttpFailure(status, headers, await response.text()));
  }
  return response;
}

/** Returns the same for what a provider may keep at another address and redirect to: the key is not sent there. */
export async function fetchStored(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetchUnfollowed(input, init);
  const address = response.headers.get('location');
  if (!isRedirect(response.status) || address === null) return requireOk(response);
  await response.body?.cancel();
  return fetchStream(new URL(address, input instanceof Request ? input.url : input), {
    signal: init?.signal ?? null,
  });
}

async function fetchUnfollowed(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(input, { ...init, redirect: 'manual' });
  } catch (error) {
    if (init?.signal?.aborted === true) throw error;
    throw new WireFailure(describeNetworkError(error));
  }
}

/** Returns the lines of a body that are not empty, as they arrive. @throws WireFailure when it breaks off */
export async function* readLines({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') yield line;
    }
  } catch (error) {
    throw new WireFailure(describeNetworkError(error));
  }
  if (rest.trim() !== '') yield rest;
}

/** Redirects are refused: following one would send the key and the prompts to a host that the user did not choose. */
export function describeRedirect(status: number, location: string | null): ProviderFailure {
  return {
    status,
    labels: [],
    message: `a redirect, which is not followed because it would send the key to ${location ?? 'another address'}`,
  };
}

/** @throws WireFailure when the whole body of an answer is not JSON: it may be the same the next time, and paid for again */
export function requireJson(
  { body, problem }: Pick<HttpExchange, 'body' | 'problem'>,
  headers: HeaderSource,
): void {
  const message = problem ?? findJsonProblem(headers, body);
  if (message !== undefined) throw new WireFailure({ status: 200, labels: [], message, isInvalid: true });
}

/** Sends a request, and reads the response whatever its status. @throws WireFailure where no whole one came */
export async function exchangeOrFail(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<HttpExchange> {
  try {
    return await sendRequest(input, init);
  } catch (error) {
    if (init?.signal?.aborted === true) throw error;
    throw new WireFailure(describeNetworkError(error));
  }
}

/** What the system said of a connection; undici hides it in causes, and in one error per address tried. */
export function describeNetworkError(error: unknown): ProviderFailure {
  const all = listCauses(error);
  const codes = all.flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
  const names = all.flatMap(({ name }) => (name === 'TimeoutError' ? [name] : []));
  const messages = all.flatMap(({ message }) =>
    typeof message === 'string' && message !== '' ? [message] : [],
  );
  return {
    labels: [...new Set(codes.length > 0 ? codes : names)],
    message: messages.at(-1) ?? 'the connection failed',
  };
}

interface Cause {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

function listCauses(error: unknown, depth = 0): Cause[] {
  if (typeof error !== 'object' || error === null || depth > 4) return [];
  const cause: Cause = error;
  const inner: unknown = Array.isArray(cause.errors) ? cause.errors[0] : cause.cause;
  return [cause, ...listCauses(inner, depth + 1)];
}
