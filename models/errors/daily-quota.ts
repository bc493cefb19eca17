/** A provider's description of a limit that was reached. */
interface ReachedLimit {
  readonly labels: readonly string[];
  readonly message: string;
  readonly resetAtMs?: number;
  readonly retryAfterMs?: number;
}

/** A quota of requests or tokens a day that is used up. */
interface DailyQuota {
  /** Names it, with the time of its reset where that is known. */
  readonly text: string;
  /** Milliseconds until it is worth another call. */
  readonly waitMs: number;
}

/**
 * Returns the daily quota that a rate limit means; undefined for the limit of a minute. Providers name a short wait beside it (Gemini), or none
 * (Bedrock): the reset counts, or else another call is worth an hour's wait.
 */
export function findDailyQuota(
  { labels, message, resetAtMs, retryAfterMs = 0 }: ReachedLimit,
  nowMs: number,
): DailyQuota | undefined {
  if (![message, ...labels].some((text) => DAILY.test(text))) return undefined;
  const isGoogle = labels.some((label) => label.includes('PerDay'));
  const resetMs = resetAtMs ?? (isGoogle ? findPacificMidnight(nowMs) : undefined);
  const stated = resetMs ?? (retryAfterMs >= LONG_WAIT_MS ? nowMs + retryAfterMs : undefined);
  if (stated === undefined || stated <= nowMs)
    return { text: 'a daily quota is used up; the provider does not say when it is reset', waitMs: HOUR_MS };
  const at = `${new Date(stated).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return {
    text: `a daily quota is used up; it is reset at ${at}`,
    waitMs: Math.min(HOUR_MS, stated - nowMs),
  };
}

/** OpenRouter, Gemini, Bedrock, OpenAI (RPD, TPD), Moonshot. */
const DAILY = /per.?day|\bdaily\b|\b[RT]PD\b/i;

const HOUR_MS = 3_600_000;

/** A wait that is no minute's. */
const LONG_WAIT_MS = 10 * 60_000;

/** Gemini's daily quotas are reset at midnight in California. */
function findPacificMidnight(nowMs: number): number {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Los_Angeles', timeStyle: 'medium' });
  const [hours = 0, minutes = 0, seconds = 0] = time.format(nowMs).split(':').map(Number);
  return nowMs + HOUR_MS * 24 - ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}
