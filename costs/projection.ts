/** What a run took so far, what is left to ask, and both together: an estimate. */
export interface Projection {
  /** Calls that are left. */
  readonly callsLeft: number;
  /** All calls of the run, those that were answered included. */
  readonly calls: number;
  /** US dollars of the whole run. */
  readonly usd: number;
  /** Absent while no call is answered. */
  readonly secondsLeft?: number;
}

/** What was answered so far. */
export interface Taken {
  readonly calls: number;
  readonly usd: number;
  /** Calls answered in the last minute. */
  readonly perMinute: number;
}

/** What a run comes to when so much is left. */
export function projectionOf(
  taken: Taken,
  left: { readonly calls: number; readonly usd: number },
): Projection {
  return {
    callsLeft: Math.round(left.calls),
    calls: Math.round(taken.calls + left.calls),
    usd: taken.usd + left.usd,
    ...(taken.perMinute > 0 ? { secondsLeft: (left.calls / taken.perMinute) * 60 } : {}),
  };
}

/**
 * Projects an evaluation to its end: trials are alike, and those that are open are half done on average. Undefined before the first is
 * done: until then nothing says what one takes.
 */
export function projectTrials(
  { all, done, open }: { readonly all: number; readonly done: number; readonly open: number },
  taken: Taken,
): Projection | undefined {
  if (done === 0) return undefined;
  const part = Math.max(0, all / Math.min(all, done + open / 2) - 1);
  return projectionOf(taken, { calls: taken.calls * part, usd: taken.usd * part });
}
