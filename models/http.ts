import { CALL_TIMEOUT_MS } from './call';
import { sendRequest, type HeaderSource, type HttpExchange } from './exchange';
import { isRedirect, WireFailure, type ProviderFailure } from './errors/failure';
import { findJsonProblem, parseHttpFailure } from './errors/failure-body';

/** Options for every SDK that accepts a `fetch`: one request per ask, and only our time limit. */
export const SDK_OPTIONS = {
  fetch: fetchProvider,
  maxRetries: 0,
  // Longer than ours, so that only callProvider ends a call.
  timeout: 3 * CALL_TIMEOUT_MS,
  // The SDKs log to the console, over the progress display.
  logLevel: 'off',
} as const;

/**
 * Fetches for the SDKs: returns a response with a complete JSON body, or throws a WireFailure. The SDKs' own errors lose information. Google's
 * drops the headers (Retry-After), OpenAI's drops a body without `error` around it (vLLM). A connection that breaks within the body reaches the
 * caller unclassified.
 */
export async function fetchProvider(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const exchange = await exchangeOrFail(input, init);
  const { status, headers, body } = exchange;
  if (isRedirect(status)) throw new WireFailure(describeRedirect(status, headers.get('location')));
  if (status < 200 || status >= 300) throw new WireFailure(parseHttpFailure(status, headers, body));
  requireJson(exchange, headers);
  headers.set('content-type', 'application/json');
  // These describe the bytes on the wire, not the decoded text.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  return new Response(body, { status, headers });
}

/** Fetches a response that is read line by line; anything else is thrown as a WireFailure. */
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

/** Fetches a stored file like `fetchStream`, and follows a redirect to another address, without the key. */
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

/** Returns the non-empty lines of a body as they arrive. @throws WireFailure when it breaks off */
export async function* readBodyLines({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let partialLine = '';
  try {
    for await (const chunk of body) {
      const lines = (partialLine + decoder.decode(chunk, { stream: true })).split('\n');
      partialLine = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') yield line;
    }
  } catch (error) {
    throw new WireFailure(describeNetworkError(error));
  }
  if (partialLine.trim() !== '') yield partialLine;
}

/** Describes a redirect, which is an error: following it would send key and prompts to a host that the user did not choose. */
export function describeRedirect(status: number, location: string | null): ProviderFailure {
  return {
    status,
    labels: [],
    message: `a redirect, which is not followed because it would send the key to ${location ?? 'another address'}`,
  };
}

/** @throws WireFailure when the whole body of an answer is not JSON. The next answer may be the same, and be charged again. */
export function requireJson(
  { body, problem }: Pick<HttpExchange, 'body' | 'problem'>,
  headers: HeaderSource,
): void {
  const message = problem ?? findJsonProblem(headers, body);
  if (message !== undefined) throw new WireFailure({ status: 200, labels: [], message, isInvalid: true });
}

/** Sends a request, and reads the response whatever its status. @throws WireFailure if it is incomplete */
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

/** Describes a connection error. undici hides the system's error in causes, and in one error per address tried. */
export function describeNetworkError(error: unknown): ProviderFailure {
  const causes = listCauses(error);
  const codes = causes.flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
  const names = causes.flatMap(({ name }) => (name === 'TimeoutError' ? [name] : []));
  const messages = causes.flatMap(({ message }) =>
    typeof message === 'string' && message !== '' ? [message] : [],
  );
  const labels = [...new Set(codes.length > 0 ? codes : names)];
  const message = messages.at(-1) ?? 'the connection failed';
  return isUnreadable(labels, message)
    ? {
        labels,
        message: `the server sent something that is not a response to the request (${message})`,
        isInvalid: true,
      }
    : { labels, message };
}

/**
 * Returns true if a server sent what undici cannot read: no HTTP, or a `100 Continue` or `101 Switching Protocols` that nothing asked for. Unlike a
 * lost connection, it would be sent again and again.
 */
function isUnreadable(labels: readonly string[], message: string): boolean {
  return (
    labels.some((label) => /^HPE_(?!INVALID_EOF_STATE|CLOSED_CONNECTION)/.test(label)) ||
    (labels.includes('UND_ERR_SOCKET') && /^bad (response|upgrade)$/.test(message))
  );
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
  const nextCause: unknown = Array.isArray(cause.errors) ? cause.errors[0] : cause.cause;
  return [cause, ...listCauses(nextCause, depth + 1)];
}
