import type { ModelLimits } from '../schemas/steering';

/** What is known of a model's use, over all workers. Times are milliseconds of one clock. */
export interface ModelUse {
  readonly limits: ModelLimits;
  /** Of the last minute, a second each: when it began, calls sent, and their tokens. */
  readonly seconds: readonly Second[];
  /** Until when the provider asked to be left alone. */
  readonly holdUntil?: number;
  readonly down?: Down;
  readonly workers: Readonly<Record<string, WorkerUse>>;
}

export interface Second {
  readonly at: number;
  readonly sent: number;
  readonly tokens: number;
}

export interface Down {
  readonly since: number;
  readonly cause: string;
}

export interface WorkerUse {
  readonly seen: number;
  /** Calls it has in flight, or could have. */
  readonly wanted: number;
  /** What it was told it may have in flight. */
  readonly share: number;
  /** What it may have in flight all the same: until it tells that it goes by a lower share. */
  readonly held: number;
  /** Passing failures in a row. */
  readonly failures: number;
  readonly answeredAt: number;
}

/** What a worker tells. */
export interface ToldUse {
  readonly worker: string;
  readonly inFlight: number;
  readonly waiting: number;
  readonly sent: number;
  readonly tokens: number;
  readonly answered: number;
  readonly failures: number;
  readonly failure?: string;
  readonly retryAfter?: number;
}

/** Passing failures in a row, in one worker, after which a model that answers nobody counts as down. */
export const FAILURES_TO_BE_DOWN = 5;

/** A worker that has not told anything for so long is gone. */
export const WORKER_GONE = 45_000;

const MINUTE = 60_000;

/** Calls a second while a model is down: enough to see that it is back. */
const PROBES = 0.2;

/**
 * The server lets a second's worth through at once, and forgets that it did when it is restarted: a minute then sees the rate
 * 62 times at the most.
 */
const SECONDS_OF_RATE = 62;

/** Of a limit on tokens, how much is aimed at: what is in flight may turn out longer than it was expected to be. */
const TOKEN_AIM = 0.95;

/** Tokens of a call while none was sent yet. */
const TOKENS_AT_FIRST = 2_000;

export function unused(limits: ModelLimits): ModelUse {
  return { limits, seconds: [], workers: {} };
}

/** The use with what a worker tells of it. @param confirmed whether the worker goes by the share it was told last */
export function withTold(use: ModelUse, told: ToldUse, now: number, confirmed: boolean): ModelUse {
  const before = use.workers[told.worker];
  const share = before?.share ?? 0;
  const worker: WorkerUse = {
    seen: now,
    wanted: told.inFlight + told.waiting,
    share,
    held: confirmed ? Math.max(share, told.inFlight) : Math.max(before?.held ?? 0, told.inFlight),
    failures: told.failures,
    answeredAt: told.answered > 0 ? now : (before?.answeredAt ?? 0),
  };
  const next: ModelUse = {
    ...use,
    seconds: withSecond(use.seconds, told, now),
    workers: { ...use.workers, [told.worker]: worker },
    ...(told.retryAfter === undefined
      ? {}
      : { holdUntil: Math.max(use.holdUntil ?? 0, now + told.retryAfter) }),
  };
  return withState(next, told, now);
}

function withSecond(seconds: readonly Second[], { sent, tokens }: ToldUse, now: number): Second[] {
  const kept = seconds.filter(({ at }) => at > now - MINUTE);
  if (sent === 0 && tokens === 0) return kept;
  const last = kept.at(-1);
  if (last === undefined || now - last.at >= 1_000) return [...kept, { at: now, sent, tokens }];
  return [...kept.slice(0, -1), { at: last.at, sent: last.sent + sent, tokens: last.tokens + tokens }];
}

function withState(use: ModelUse, told: ToldUse, now: number): ModelUse {
  const { down, ...up } = use;
  if (told.answered > 0) return up;
  if (down !== undefined || told.failures < FAILURES_TO_BE_DOWN) return use;
  // Others may be answered while one worker's network is not well.
  const answered = Object.values(use.workers).some(({ answeredAt }) => answeredAt > now - 5_000);
  return answered ? use : { ...up, down: { since: now, cause: told.failure ?? 'it does not answer' } };
}

/** The use without a worker that has ended, or that has not told anything for long. */
export function withoutWorkers(use: ModelUse, gone: (worker: string, seen: number) => boolean): ModelUse {
  const workers = Object.fromEntries(
    Object.entries(use.workers).filter(([worker, { seen }]) => !gone(worker, seen)),
  );
  return { ...use, workers };
}

/** Calls a second that the server is to hand out; undefined for as many as are asked for. */
export function rateOf(use: ModelUse, now: number): number | undefined {
  if (use.holdUntil !== undefined && use.holdUntil > now) return 0;
  const { requestsPerMinute, tokensPerMinute } = use.limits;
  const rates = [
    ...(use.down === undefined ? [] : [PROBES]),
    ...(requestsPerMinute === undefined ? [] : [requestsPerMinute / SECONDS_OF_RATE]),
    ...(tokensPerMinute === undefined ? [] : [tokenRate(use, tokensPerMinute, now)]),
  ];
  return rates.length === 0 ? undefined : Math.min(...rates);
}

/** An even pace, by what calls have taken lately, and no more than the minute has left. */
function tokenRate(use: ModelUse, tokensPerMinute: number, now: number): number {
  const aim = tokensPerMinute * TOKEN_AIM;
  const { tokens, sent } = lastMinute(use, now);
  const each = sent === 0 ? TOKENS_AT_FIRST : Math.max(1, tokens / sent);
  return Math.max(0, Math.min(aim / 60 / each, (aim - tokens) / each));
}

/** What was sent in the last minute. */
export function lastMinute({ seconds }: ModelUse, now: number): { sent: number; tokens: number } {
  const lately = seconds.filter(({ at }) => at > now - MINUTE);
  return {
    sent: lately.reduce((sum, { sent }) => sum + sent, 0),
    tokens: Math.max(
      0,
      lately.reduce((sum, { tokens }) => sum + tokens, 0),
    ),
  };
}

/**
 * Divides the calls that may be in flight among the workers, by what they could use. A share is raised only by what no other
 * worker may still have in flight.
 */
export function withShares(use: ModelUse): ModelUse {
  const { inFlight } = use.limits;
  if (inFlight === undefined) return use;
  const targets = divided(
    inFlight,
    Object.entries(use.workers).map(([worker, { wanted }]) => [worker, Math.max(1, wanted)] as const),
  );
  const workers = { ...use.workers };
  let free = inFlight - Object.values(workers).reduce((sum, { held }) => sum + held, 0);
  for (const [name, worker] of Object.entries(workers)) {
    const target = targets.get(name) ?? 0;
    if (target <= worker.held) {
      workers[name] = { ...worker, share: target };
      continue;
    }
    const share = worker.held + Math.max(0, Math.min(target - worker.held, free));
    free -= share - worker.held;
    workers[name] = { ...worker, share, held: share };
  }
  return { ...use, workers };
}

/** Divides so many among those who want them: nobody gets more than he wants, and nobody less than an even part of it. */
export function divided(
  total: number,
  wants: readonly (readonly [name: string, wanted: number])[],
): Map<string, number> {
  const shares = new Map<string, number>();
  let left = total;
  const ascending = wants.toSorted(([, one], [, other]) => one - other);
  for (const [index, [name, wanted]] of ascending.entries()) {
    const share = Math.min(wanted, Math.floor(left / (ascending.length - index)));
    shares.set(name, share);
    left -= share;
  }
  // What nobody asked for goes to whoever wants the most: it may come to want more.
  const last = ascending.at(-1)?.[0];
  if (last !== undefined) shares.set(last, (shares.get(last) ?? 0) + left);
  return shares;
}
