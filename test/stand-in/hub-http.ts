import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** A request to the stand-in. */
export interface Call {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Address of the Hub. */
  readonly hub: string;
  /** Address of the object store and Xet: for a client, another origin. */
  readonly store: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The connection breaks after this many bytes of the body. */
  readonly cutAfter?: number;
}

export function answerJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Builds a refusal in the Hub's form: the message is in the body and, for clients of HEAD, in a header. */
export function answerRefusal(
  status: number,
  message: string,
  code?: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  // A header holds no line breaks.
  const inHeader = message.replaceAll(/\s+/g, ' ');
  return answerJson(
    status,
    { error: message },
    { 'x-error-message': inHeader, ...(code !== undefined && { 'x-error-code': code }), ...more },
  );
}

/** Returns bytes, or the requested range of them. */
export function answerBytes(
  call: Call,
  content: Buffer,
  headers: Readonly<Record<string, string>> = {},
  cutAfter?: number,
): Answer {
  const cut = cutAfter === undefined ? {} : { cutAfter };
  const base = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', ...headers };
  const range = parseRange(call.headers.range, content.length);
  if (range === undefined) return { status: 200, headers: base, body: content, ...cut };
  if (range.from >= content.length) {
    return {
      ...answerRefusal(416, 'Range Not Satisfiable'),
      headers: { 'content-range': `bytes */${content.length}` },
    };
  }
  return {
    status: 206,
    headers: { ...base, 'content-range': `bytes ${range.from}-${range.to}/${content.length}` },
    body: content.subarray(range.from, range.to + 1),
    ...cut,
  };
}

interface Range {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

/** Parses a `Range` header for content of this size; undefined if there is none. */
function parseRange(header: string | undefined, size: number): Range | undefined {
  const [whole, first, last = ''] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? [];
  if (whole === undefined) return undefined;
  return { from: Number(first), to: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers, body, cutAfter } = answer;
  response.writeHead(status, { 'content-length': String(body.length), ...headers });
  if (request.method === 'HEAD') response.end();
  else if (cutAfter === undefined) response.end(body);
  else response.write(body.subarray(0, cutAfter), () => response.destroy());
}
