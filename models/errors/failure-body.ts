import { z } from 'zod';
import type { ProviderFailure } from './failure';
import { omitUndefined } from '../../schemas/omit-undefined';

/**
 * The failure that an HTTP answer with an error status describes. Reads the forms of OpenAI and those who follow it
 * (`error.message/type/code`), Anthropic, Together, Google (`error.status/details`), Azure (`innererror`), vLLM (no
 * `error` around it), text-generation-inference (`error` is a string) and FastAPI (`detail`).
 */
export function parseHttpFailure(status: number, headers: Headers, body: string): ProviderFailure {
  const described = bodySchema.parse(parseBody(body));
  return omitUndefined({
    status,
    labels: [...new Set(described.labels)],
    message: described.message ?? getPlainText(headers, body),
    param: described.param,
    retryAfterMs: parseRetryAfterMs(headers) ?? described.retryDelayMs,
  });
}

const optionalText = z.string().min(1).optional().catch(undefined);

/** Google's `details`: the reason of an ErrorInfo, the delay of a RetryInfo (`"34.07s"`). */
const detailSchema = z.object({
  reason: optionalText,
  retryDelay: z
    .string()
    .regex(/^\d+(\.\d+)?s$/)
    .optional()
    .catch(undefined),
});

const errorSchema = z.object({
  message: optionalText,
  type: optionalText,
  code: optionalText,
  status: optionalText,
  error_type: optionalText,
  param: optionalText,
  innererror: z.object({ code: optionalText }).optional().catch(undefined),
  details: z.array(detailSchema).optional().catch(undefined),
});

interface DescribedError {
  readonly message: string | undefined;
  readonly labels: string[];
  readonly param?: string | undefined;
  readonly retryDelayMs: number | undefined;
}

const bodySchema = z
  .union([
    z.object({ error: errorSchema }).transform(({ error }) => readError(error)),
    z
      .object({ error: z.string(), error_type: optionalText })
      .transform(({ error, error_type }) => readError({ message: error, error_type })),
    z.object({ detail: z.string() }).transform(({ detail }) => readError({ message: detail })),
    errorSchema.transform(readError),
  ])
  .catch({ message: undefined, labels: [], retryDelayMs: undefined });

function readError(error: Partial<z.infer<typeof errorSchema>>): DescribedError {
  const details = error.details ?? [];
  const delay = details.flatMap(({ retryDelay }) => retryDelay ?? []).at(0);
  const names = [error.code, error.type, error.status, error.error_type, error.innererror?.code];
  return {
    message: error.message,
    param: error.param,
    labels: [...names, ...details.map(({ reason }) => reason)].filter((name) => name !== undefined),
    retryDelayMs: delay === undefined ? undefined : Math.ceil(Number.parseFloat(delay) * 1000),
  };
}

/** The body as JSON; Google sometimes wraps it into an array of one. */
function parseBody(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}

/** A body that is no JSON, unless it is a page (a proxy's error page says nothing to a reader of logs). */
function getPlainText(headers: Headers, body: string): string {
  return headers.get('content-type')?.includes('html') === true || body.trimStart().startsWith('<')
    ? 'a web page instead of an API response'
    : body;
}

/** What is read of an answer's headers. */
interface HeaderSource {
  get(name: string): string | null;
}

/**
 * Milliseconds an answer asks to wait: `retry-after-ms` (OpenAI, Azure), else `Retry-After` in seconds or as an HTTP
 * date (RFC 9110, 10.2.3). Undefined where neither says anything readable. A date is measured against the answer's own
 * `Date`, so that a wrong clock here does not stretch the wait.
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

/** An HTTP date always ends in GMT; Date.parse alone also reads dates into numbers. */
function parseMoment(text: string | null): number | undefined {
  const parsed = text?.trim().endsWith('GMT') === true ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}
