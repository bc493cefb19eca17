import { z } from 'zod';
import type { ProviderFailure } from './failure';
import { parseRetryAfterMs } from './retry-after';

/**
 * The failure that an HTTP answer with an error status describes. Reads the forms of OpenAI and those who follow it
 * (`error.message/type/code`), Anthropic, Together, Google (`error.status/details`), Azure (`innererror`), vLLM (no
 * `error` around it), text-generation-inference (`error` is a string) and FastAPI (`detail`).
 */
export function parseHttpFailure(status: number, headers: Headers, body: string): ProviderFailure {
  const described = bodySchema.parse(parseBody(body));
  const wait = parseRetryAfterMs(headers) ?? described.retryDelayMs;
  return {
    status,
    labels: [...new Set(described.labels)],
    message: described.message ?? getPlainText(headers, body),
    ...(described.param === undefined ? {} : { param: described.param }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
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
