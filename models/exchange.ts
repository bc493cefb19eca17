import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A response whose body is read completely. */
export interface HttpExchange {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Why the bytes do not match the headers; they are then decoded as far as possible. */
  readonly problem?: string;
}

/** Headers of a response. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * Sends a request through the dispatcher of `fetch`, including a proxy's, and reads the whole response. Redirects are not followed. `fetch` itself
 * takes three times the processor time, mostly for streams that are not needed. It also gives up after five minutes without headers or body; long
 * answers take longer, and callProvider has its own limit.
 * @throws the system's error of the connection, or the reason of the signal
 */
export async function sendRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<HttpExchange> {
  // Accessing `Response` loads the dispatcher.
  const dispatcher =
    typeof Response === 'function' ? DISPATCHERS.map(getGlobal).find(isDispatcher) : undefined;
  const { body = null } = init;
  if (dispatcher === undefined || input instanceof Request || (body !== null && typeof body !== 'string')) {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const { status } = response;
    const responseHeaders = new Headers(response.headers);
    return {
      status,
      headers: responseHeaders,
      ...decodeText(Buffer.from(await response.arrayBuffer()), responseHeaders),
    };
  }
  return dispatch(dispatcher, new URL(input), { ...init, body });
}

async function dispatch(
  dispatcher: Dispatcher,
  { origin, pathname, search }: URL,
  { method = 'GET', headers, body, signal }: RequestInit & { readonly body: string | null },
): Promise<HttpExchange> {
  signal?.throwIfAborted();
  const requestHeaders = new Headers(headers);
  if (!requestHeaders.has('accept-encoding')) requestHeaders.set('accept-encoding', 'gzip, deflate, br');
  let cancel: ((error: Error) => void) | undefined;
  const stop = () => cancel?.(new Error('The request was cancelled.'));
  signal?.addEventListener('abort', stop);
  try {
    return await new Promise((resolve, reject) => {
      let status = 0;
      let responseHeaders = new Headers();
      const chunks: Buffer[] = [];
      const handler: DispatchHandler = {
        onConnect(abort) {
          cancel = abort;
          if (signal?.aborted === true) stop();
        },
        // The last headers count: responses of status 1xx may precede them.
        onHeaders(statusCode, rawHeaders) {
          status = statusCode;
          responseHeaders = buildHeaders(rawHeaders);
          return true;
        },
        onData(chunk) {
          chunks.push(chunk);
          return true;
        },
        onComplete() {
          resolve({
            status,
            headers: responseHeaders,
            ...decodeBody(Buffer.concat(chunks), responseHeaders),
          });
        },
        onError: reject,
      };
      dispatcher.dispatch(
        {
          origin,
          path: `${pathname}${search}`,
          method,
          headers: Object.fromEntries(requestHeaders),
          body,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      );
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

function buildHeaders(raw: readonly Buffer[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    headers.append(String(raw[at]), raw[at + 1]?.toString('latin1') ?? '');
  }
  return headers;
}

function decodeBody(bytes: Buffer, headers: Headers): Pick<HttpExchange, 'body' | 'problem'> {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  try {
    return decodeText(DECODERS.get(encoding)?.(bytes) ?? bytes, headers);
  } catch {
    return { body: '', problem: `the body cannot be decompressed as ${encoding}` };
  }
}

/** Decodes a body by the charset in its headers, without a byte order mark. */
export function decodeText(bytes: Buffer, headers: HeaderSource): Pick<HttpExchange, 'body' | 'problem'> {
  const decoder = createDecoder(/charset="?([\w-]+)/i.exec(headers.get('content-type') ?? '')?.[1]);
  try {
    return { body: decoder.decode(bytes) };
  } catch {
    return { body: bytes.toString('utf8'), problem: `the body is not valid ${decoder.encoding}` };
  }
}

function createDecoder(charset = 'utf-8') {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return new TextDecoder('utf-8', { fatal: true });
  }
}

const DECODERS = new Map<string, (bytes: Buffer) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** Symbols under which undici stores its global dispatcher. Newer versions also store one that accepts these handlers, for Node's own `fetch`. */
const DISPATCHERS = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];

interface Dispatcher {
  dispatch(options: object, handler: DispatchHandler): boolean;
}

interface DispatchHandler {
  onConnect(abort: (error: Error) => void): void;
  onHeaders(status: number, rawHeaders: readonly Buffer[]): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

function getGlobal(name: symbol): unknown {
  return Reflect.get(globalThis, name);
}

function isDispatcher(value: unknown): value is Dispatcher {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  );
}
