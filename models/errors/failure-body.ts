import * as z from 'zod';
import { ANSWERED, WEB_PAGE, type ProviderFailure } from './failure';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { HeaderSource } from '../exchange';

/**
 * Parses an HTTP response with an error status. Reads the forms of OpenAI and compatible providers (`error.message/type/code`), Anthropic,
 * Together, Google (`error.status/details`), Azure (`innererror`) and vLLM (no `error` around it). Also those of text-generation-inference
 * (`error` is a string), FastAPI (`detail`), MiniMax (`base_resp`), and an upstream provider's error that OpenRouter passes on as text
 * (`metadata.raw`).
 */
export function parseHttpFailure(status: number, headers: HeaderSource, body: string): ProviderFailure {
  const described = describeError(parseBody(body)) ?? { labels: [] };
  return omitUndefined({
    // A proxy's error page does not help in logs.
    message: isWebPage(headers, body) ? WEB_PAGE : body,
    resetAtMs: parseReset(headers.get('x-ratelimit-reset')),
    ...described,
    status,
    retryAfterMs: parseRetryAfterMs(headers) ?? described.retryAfterMs,
  });
}

/** Finds the failure in a body with status 200, and the status that it should have had; undefined without a failure. */
export function findStatedFailure(body: unknown): ProviderFailure | undefined {
  const described = describeError(body);
  if (described === undefined) return undefined;
  const { labels } = described;
  const statusLabels = described.status === undefined ? [] : [String(described.status)];
  const status = described.status ?? labels.map((label) => STATUSES.get(label)).find(Boolean) ?? 200;
  return {
    message: 'an error without a message',
    ...described,
    labels: [...labels, ...statusLabels],
    status,
    how: ANSWERED,
  };
}

/**
 * Returns the failure in a body that is no answer, or `isInvalid` if it contains none.
 * @param expected the expected content
 */
export function describeInvalidAnswer(body: unknown, expected: string): ProviderFailure {
  return (
    findStatedFailure(body) ?? {
      status: 200,
      labels: [],
      message: `expected ${expected}, found ${JSON.stringify(body)}`,
      isInvalid: true,
    }
  );
}

/** The statuses for providers' error names, for bodies with another status. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  // OpenAI and compatible providers, Anthropic
  ['invalid_request_error', 400],
  ['BadRequestError', 400],
  ['authentication_error', 401],
  ['AuthenticationError', 401],
  ['invalid_api_key', 401],
  ['billing_error', 402],
  ['insufficient_quota', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['NotFoundError', 404],
  ['model_not_found', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['RateLimitError', 429],
  ['server_error', 500],
  ['api_error', 500],
  ['InternalServerError', 500],
  ['service_unavailable', 503],
  ['unavailable_error', 503],
  ['timeout_error', 504],
  ['overloaded_error', 529],
  // Google
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['RESOURCE_EXHAUSTED', 429],
  ['INTERNAL', 500],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
  // Amazon
  ['ValidationException', 400],
  ['AccessDeniedException', 403],
  ['ThrottlingException', 429],
  ['InternalServerException', 500],
  ['ServiceUnavailableException', 503],
]);

/** The statuses for MiniMax's error numbers. */
const MINIMAX_STATUSES: Readonly<Record<string, number>> = {
  1000: 500,
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1013: 500,
  1024: 500,
  1026: 400,
  1027: 400,
  1033: 500,
  1039: 429,
  1041: 429,
  2013: 400,
  2049: 401,
  2056: 429,
};

/** MiniMax's numbers for rejected content, of the request or of the answer. */
const MINIMAX_REFUSALS: ReadonlySet<string> = new Set(['1026', '1027']);

/** Placeholders that servers send instead of a label. */
const NO_LABEL = /^(none|null|undefined|\s*)$/i;

const optionalText = z.string().min(1).optional().catch(undefined);

const codeSchema = z.union([z.number(), z.string()]).optional().catch(undefined);

/** Google's `details`: the reason of an ErrorInfo, the quotas of a QuotaFailure, the delay of a RetryInfo (`"34.07s"`). */
const detailSchema = z.object({
  reason: optionalText,
  violations: z
    .array(z.object({ quotaId: optionalText }))
    .optional()
    .catch(undefined),
  retryDelay: z
    .string()
    .regex(/^\d+(\.\d+)?s$/)
    .optional()
    .catch(undefined),
});

const errorSchema = z.object({
  message: optionalText,
  type: optionalText,
  code: codeSchema,
  status: codeSchema,
  error_type: optionalText,
  param: optionalText,
  innererror: z.object({ code: optionalText }).optional().catch(undefined),
  details: z.array(detailSchema).optional().catch(undefined),
  /** OpenRouter's metadata: the error of the provider behind it, the headers of a limit. */
  metadata: z
    .object({
      raw: z.unknown().optional(),
      headers: z.object({ 'X-RateLimit-Reset': codeSchema }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** A failure as far as a body describes it; its status is the one in the body. */
type DescribedError = Pick<ProviderFailure, 'labels'> & Partial<ProviderFailure>;

/** By the field that contains it. */
const bodySchema = z.union([
  z.object({ error: errorSchema }).transform(({ error }) => readError(error)),
  z
    .object({ error: z.string().regex(/\S/), error_type: optionalText })
    .transform(({ error, error_type }) => readError({ message: error, error_type })),
  z.object({ detail: z.string() }).transform(({ detail }) => readError({ message: detail })),
  z
    .object({ base_resp: z.object({ status_code: codeSchema, status_msg: optionalText }) })
    .transform(({ base_resp: { status_code = 0, status_msg } }) =>
      readMiniMax(String(status_code), status_msg),
    ),
  errorSchema.extend({ message: z.string().min(1) }).transform(readError),
]);

/** Reads the error in a body; undefined if there is none. */
function describeError(body: unknown): DescribedError | undefined {
  // Google sometimes wraps an error in an array of one.
  const described = bodySchema.safeParse(Array.isArray(body) ? body[0] : body).data;
  if (described === undefined) return undefined;
  const { message, labels, status, retryAfterMs } = described;
  const isEmpty = [message, status, retryAfterMs, ...labels].every((field) => field === undefined);
  return isEmpty ? undefined : described;
}

function readError(error: Partial<z.infer<typeof errorSchema>>): DescribedError {
  const { message, param, code, status, details = [], metadata } = error;
  const upstream = describeUpstream(metadata?.raw);
  const delay = details.flatMap(({ retryDelay }) => retryDelay ?? []).at(0);
  const names = [
    code,
    error.type,
    status,
    error.error_type,
    error.innererror?.code,
    ...details.flatMap(({ reason, violations = [] }) => [
      reason,
      ...violations.map(({ quotaId }) => quotaId),
    ]),
    ...(upstream?.labels ?? []),
  ].filter((name) => typeof name === 'string' && !NO_LABEL.test(name) && !isErrorStatus(Number(name)));
  return omitUndefined({
    message: [message, upstream?.message].filter((text) => text !== undefined).join(': ') || undefined,
    param: param ?? upstream?.param,
    labels: [...new Set(names.map(String))],
    retryAfterMs:
      delay === undefined
        ? (upstream?.retryAfterMs ?? parseWait(message))
        : Math.ceil(Number.parseFloat(delay) * 1000),
    resetAtMs: parseReset(metadata?.headers?.['X-RateLimit-Reset']) ?? upstream?.resetAtMs,
    status: [code, status].map(Number).find(isErrorStatus),
  });
}

/** Parses the wait in a message, in milliseconds: `Try again in 60 seconds` (LiteLLM), `try again in 7m12s`. */
function parseWait(message = ''): number | undefined {
  const wait = /(?:try again|retry) (?:in|after) ((?:[\d.]+ ?(?:ms|[hms][a-z]*) ?)+)/i.exec(message)?.[1];
  const parts = [...(wait ?? '').matchAll(/([\d.]+) ?(ms|[hms])/gi)];
  const waitMs = parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit.toLowerCase()] ?? 0),
    0,
  );
  return waitMs > 0 ? Math.ceil(waitMs) : undefined;
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a time, given in seconds or milliseconds since 1970. Other numbers are durations, and may belong to a limit that was not reached. */
function parseReset(reset: string | number | null | undefined): number | undefined {
  const number = Number(reset ?? Number.NaN);
  if (number > 1e12) return number;
  return number > 1e9 ? number * 1000 : undefined;
}

function isErrorStatus(code: number): boolean {
  return Number.isInteger(code) && code >= 400 && code <= 599;
}

function readMiniMax(code: string, message: string | undefined): DescribedError | undefined {
  if (code === '0') return undefined;
  const labels = [code, ...(MINIMAX_REFUSALS.has(code) ? ['content_filter'] : [])];
  return omitUndefined({ message, labels, status: MINIMAX_STATUSES[code] });
}

/** Reads the error of the provider behind a gateway: JSON in a text, or text. */
function describeUpstream(raw: unknown): DescribedError | undefined {
  if (typeof raw !== 'string' || raw === '') return describeError(raw);
  return describeError(parseBody(raw)) ?? { message: raw, labels: [] };
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Explains why a whole body is not JSON; undefined if it is. */
export function findJsonProblem(headers: HeaderSource, body: string): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    if (isWebPage(headers, body)) return WEB_PAGE;
    if (/^\s*(data|event|id|retry)?:/.test(body)) return 'the server streams although it was not asked to';
    const reason = error instanceof Error ? error.message : '';
    const position = Number(/at position (\d+)/.exec(reason)?.[1]);
    const isCut = /unexpected end|unterminated/i.test(reason) || position >= body.length;
    return isCut ? 'the response ended in the middle of its JSON' : `the body is not valid JSON: ${reason}`;
  }
}

function isWebPage(headers: HeaderSource, body: string): boolean {
  return headers.get('content-type')?.includes('html') === true || body.trimStart().startsWith('<');
}

/**
 * Returns the milliseconds to wait: `retry-after-ms` (OpenAI, Azure), else `Retry-After` in seconds or as an HTTP date (RFC 9110, 10.2.3).
 * Undefined if neither can be read. A date is compared with the response's own `Date`, so that a wrong clock here does not extend the wait.
 */
export function parseRetryAfterMs(headers: HeaderSource): number | undefined {
  return (
    parseNumber(headers.get('retry-after-ms'), 1) ??
    parseNumber(headers.get('retry-after'), 1000) ??
    untilDate(headers)
  );
}

function parseNumber(text: string | null, unitMs: number): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Math.ceil(Number(text) * unitMs) : undefined;
}

function untilDate(headers: HeaderSource): number | undefined {
  const until = parseMoment(headers.get('retry-after'));
  return until === undefined
    ? undefined
    : Math.max(0, until - (parseMoment(headers.get('date')) ?? Date.now()));
}

/** Parses an HTTP date. It must end in GMT, because Date.parse also accepts plain numbers. */
function parseMoment(text: string | null): number | undefined {
  const parsed = text?.trim().endsWith('GMT') === true ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}
