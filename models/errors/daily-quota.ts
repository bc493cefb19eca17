/** A provider's description of a limit that was reached. */
interface ReachedLimit {
  readonly labels: readonly string[];
  readonly message: string;
  readonly resetAtMs?: number;
  readonly retryAfterMs?: number;
}

/** An exhausted quota of requests or tokens per day. */
interface DailyQuota {
  /** Name of the quota, with its reset time if known. */
  readonly text: string;
  /** Milliseconds until another call makes sense. */
  readonly waitMs: number;
}

/**
 * Finds the daily quota behind a rate limit; undefined for a limit per minute. Providers give a short wait with it (Gemini), or none (Bedrock). So
 * the wait lasts until the reset, or an hour if that is unknown.
 */
export function findDailyQuota(
  { labels, message, resetAtMs, retryAfterMs = 0 }: ReachedLimit,
  nowMs: number,
): DailyQuota | undefined {
  if (![message, ...labels].some((text) => DAILY.test(text))) return undefined;
  const isGoogle = labels.some((label) => label.includes('PerDay'));
  const resetMs = resetAtMs ?? (isGoogle ? findPacificMidnight(nowMs) : undefined);
  const endMs = resetMs ?? (retryAfterMs >= LONG_WAIT_MS ? nowMs + retryAfterMs : undefined);
  if (endMs === undefined || endMs <= nowMs)
    return { text: 'a daily quota is used up; the provider does not say when it is reset', waitMs: HOUR_MS };
  const at = `${new Date(endMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return {
    text: `a daily quota is used up; it is reset at ${at}`,
    waitMs: Math.min(HOUR_MS, endMs - nowMs),
  };
}

/** OpenRouter, Gemini, Bedrock, OpenAI (RPD, TPD), Moonshot. */
const DAILY = /per.?day|\bdaily\b|\b[RT]PD\b/i;

const HOUR_MS = 3_600_000;

/** A wait this long cannot come from a limit per minute. */
const LONG_WAIT_MS = 10 * 60_000;

/** Returns the next midnight in California, when Gemini's daily quotas are reset. */
function findPacificMidnight(nowMs: number): number {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Los_Angeles', timeStyle: 'medium' });
  const [hours = 0, minutes = 0, seconds = 0] = time.format(nowMs).split(':').map(Number);
  return nowMs + HOUR_MS * 24 - ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}
