import { channel } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** Adds a header to it. */
  readonly setHeader: (name: string, value: string) => void;
}

/** Receives what becomes of a request. */
export interface HttpRequestEnd {
  answered(status: number): void;
  /** @param error why there was no whole answer; undefined when there was */
  ended(error?: string): void;
}

/**
 * Watches the HTTP requests of this process, by the channels on which Node.js reports them: undici's for `fetch`, and those of node:http
 * for Bedrock. Models need to know nothing of it.
 * @param begin called in the asynchronous context that sends a request; undefined to leave it alone
 * @returns stops watching
 */
export function watchHttpRequests(begin: (request: HttpRequest) => HttpRequestEnd | undefined): () => void {
  const open = new WeakMap<object, HttpRequestEnd>();
  const start = (message: unknown) => {
    const request = getObject(message, 'request');
    const described = describeRequest(request);
    const watched = described === undefined ? undefined : begin(described);
    if (watched !== undefined) open.set(request, watched);
  };
  const answer = (message: unknown) => {
    const response = getObject(message, 'response');
    const status: unknown = Reflect.get(response, 'statusCode');
    open.get(getObject(message, 'request'))?.answered(Number(status));
  };
  const end = (message: unknown) => open.get(getObject(message, 'request'))?.ended();
  const fail = (message: unknown) => {
    open.get(getObject(message, 'request'))?.ended(nameError(getObject(message, 'error')));
  };
  const answerAndEnd = (message: unknown) => {
    answer(message);
    end(message);
  };
  const listeners = [
    ['undici:request:create', start],
    ['undici:request:headers', answer],
    ['undici:request:trailers', end],
    ['undici:request:error', fail],
    ['http.client.request.start', start],
    ['http.client.response.finish', answerAndEnd],
    ['http.client.request.error', fail],
  ] as const;
  for (const [name, listener] of listeners) channel(name).subscribe(listener);
  return () => {
    for (const [name, listener] of listeners) channel(name).unsubscribe(listener);
  };
}

/** What undici says of a request. */
interface UndiciRequest {
  readonly method: string;
  readonly origin: string | URL;
  readonly path: string;
  addHeader(name: string, value: string): void;
}

function describeRequest(request: object): HttpRequest | undefined {
  if (request instanceof ClientRequest) {
    const { method, path, protocol } = request;
    const host = request.getHeader('host');
    const url = parseUrl(path, `${protocol}//${typeof host === 'string' ? host : request.host}`);
    if (url === undefined) return undefined;
    // By now node:http may have sent the headers.
    const setHeader = (name: string, value: string) => {
      if (!request.headersSent) request.setHeader(name, value);
    };
    return { method, url, setHeader };
  }
  if (!isUndiciRequest(request)) return undefined;
  const url = parseUrl(request.path, String(request.origin));
  if (url === undefined) return undefined;
  return { method: request.method, url, setHeader: (name, value) => request.addHeader(name, value) };
}

function isUndiciRequest(request: object): request is UndiciRequest {
  return 'addHeader' in request && typeof request.addHeader === 'function' && 'origin' in request;
}

function parseUrl(path: string, origin: string): URL | undefined {
  return URL.canParse(path, origin) ? new URL(path, origin) : undefined;
}

/** What went wrong with a connection, without the address that a message may hold. */
function nameError(error: object): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'error';
}

function getObject(message: unknown, name: string): object {
  const value: unknown =
    typeof message === 'object' && message !== null ? Reflect.get(message, name) : undefined;
  return typeof value === 'object' && value !== null ? value : {};
}
