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
