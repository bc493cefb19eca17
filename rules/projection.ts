/** Pieces of work of one kind: personas, or trials. */
export interface Pieces {
  readonly all: number;
  /** Done, or given up. */
  readonly closed: number;
  readonly open: number;
}

/** What pieces of work took so far. */
export interface Taken {
  readonly calls: number;
  readonly usd: number;
  /** Calls answered in the last minute. */
  readonly perMinute: number;
}

/** What all of it will have come to, and what is left until then; none of it more than a guess. */
export interface Projection {
  readonly calls: number;
  readonly usd: number;
  /** Absent while no call is answered. */
  readonly secondsLeft?: number;
}

/**
 * Projects what a run took so far to its end: pieces are alike, and those that are open are half done in the mean.
 * Undefined before the first is closed: until then nothing tells what one takes.
 */
export function projectionOf({ all, closed, open }: Pieces, taken: Taken): Projection | undefined {
  if (closed === 0) return undefined;
  const times = Math.max(1, all / Math.min(all, closed + open / 2));
  const { calls, usd, perMinute } = taken;
  const left = calls * times - calls;
  return {
    calls: Math.round(calls * times),
    usd: usd * times,
    ...(perMinute > 0 ? { secondsLeft: (left / perMinute) * 60 } : {}),
  };
}
