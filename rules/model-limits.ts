import type { RunKind } from '../schemas/run';
import type { ModelLimits } from '../schemas/steering';

/** What is known of a model's use, over all workers. Times are milliseconds of one clock. */
export interface ModelUse {
  readonly limits: ModelLimits;
  /** When they were changed; absent when they never were. */
  readonly limitedAt?: number;
  /** Of the last minute, a second each: when it began, calls sent, and their tokens. */
  readonly seconds: readonly Second[];
  /** Until when the provider asked to be left alone. */
  readonly holdUntil?: number;
  readonly down?: Down;
  readonly workers: Readonly<Record<string, WorkerUse>>;
}

interface Second {
  readonly at: number;
  readonly sent: number;
  readonly tokens: number;
}

interface Down {
  readonly since: number;
  readonly cause: string;
}

interface WorkerUse {
  readonly run: string;
  readonly kind: RunKind;
  readonly seen: number;
  /** Calls a second that it has sent lately. */
  readonly pace: number;
  /** Calls it has in flight, or could have. */
  readonly wanted: number;
  /** What it was told it may have in flight. */
  readonly share: number;
  /** What it may have in flight all the same: until it tells that it goes by a lower share. */
  readonly held: number;
  readonly answeredAt: number;
}

/** What a worker tells. */
export interface ToldUse {
  readonly worker: string;
  readonly run: string;
  readonly kind: RunKind;
  /** Calls in flight, and those that are ready to be. */
  readonly inFlight: number;
  readonly waiting: number;
  /** Since it last told: calls sent, and their tokens: as estimated when sent, put right when answered. */
  readonly sent: number;
  readonly tokens: number;
  readonly answered: number;
  /** Passing failures in a row, without an answer in between; 0 after an answer. */
  readonly failures: number;
  /** What the last of them said. */
  readonly failure?: string;
  /** Milliseconds that the provider asked all to wait, from now. */
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
 * The server lets a second's worth through at once, and forgets that it did when it is restarted; and a call that it let go of may
 * wait two seconds more in its process: a minute then sees the rate 64 times at the most.
 */
const SECONDS_OF_RATE = 64;

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
    run: told.run,
    kind: told.kind,
    seen: now,
    pace: paceOf(before, told, now),
    wanted: told.inFlight + told.waiting,
    share,
    held: confirmed ? Math.max(share, told.inFlight) : Math.max(before?.held ?? 0, told.inFlight),
    answeredAt: hasAnswered(told) ? now : (before?.answeredAt ?? 0),
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

// Over some ten seconds, however often the worker tells.
function paceOf(before: WorkerUse | undefined, { sent }: ToldUse, now: number): number {
  if (before === undefined || now <= before.seen) return before?.pace ?? 0;
  const seconds = (now - before.seen) / 1_000;
  const weight = Math.min(1, seconds / 10);
  return before.pace * (1 - weight) + (sent / seconds) * weight;
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
  if (hasAnswered(told)) return up;
  if (down !== undefined || told.failures < FAILURES_TO_BE_DOWN) return use;
  // Others may be answered while one worker's network is not well.
  const answered = Object.entries(use.workers).some(
    ([worker, { answeredAt }]) => worker !== told.worker && answeredAt > now - 5_000,
  );
  return answered ? use : { ...up, down: { since: now, cause: told.failure ?? 'it does not respond' } };
}

/** What was answered before so many failures says nothing of how the model is now. */
function hasAnswered({ answered, failures }: ToldUse): boolean {
  return answered > 0 && failures < FAILURES_TO_BE_DOWN;
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
  if (isHeld(use, now)) return 0;
  const { requestsPerMinute, tokensPerMinute } = use.limits;
  const rates = [
    ...(use.down === undefined ? [] : [PROBES]),
    ...(requestsPerMinute === undefined ? [] : [requestRate(use, requestsPerMinute, now)]),
    ...(tokensPerMinute === undefined ? [] : [tokenRate(use, tokensPerMinute, now)]),
  ];
  return rates.length === 0 ? undefined : Math.min(...rates);
}

/** True while the provider wants to be left alone. */
export function isHeld({ holdUntil }: ModelUse, now: number): boolean {
  return holdUntil !== undefined && holdUntil > now;
}

// For a minute after a limit was changed, what was sent before counts as well.
function requestRate(use: ModelUse, requestsPerMinute: number, now: number): number {
  const rate = requestsPerMinute / SECONDS_OF_RATE;
  return isJustLimited(use, now) && lastMinute(use, now).sent + rate > requestsPerMinute ? 0 : rate;
}

/** True for a minute after limits were changed. */
export function isJustLimited({ limitedAt }: ModelUse, now: number): boolean {
  return limitedAt !== undefined && limitedAt > now - MINUTE;
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
 * Calls a second that the server is to hand out for each run; undefined for as many as are asked for. Evaluation has what it can
 * use before synthesis; among their like, runs share evenly what they can use.
 * @param backlog calls of a run that the server has still to hand out
 */
export function ratesOf(
  use: ModelUse,
  now: number,
  backlog: (run: string) => number,
): Map<string, number | undefined> {
  const total = rateOf(use, now);
  const runs = runsOf(use);
  if (total === undefined || total === 0 || runs.length < 2)
    return new Map(runs.map(({ run }) => [run, total]));
  const least = total * LEAST;
  const left = total - least * runs.length;
  const wants = runs.map(({ run, kind, pace }) => ({
    run,
    kind,
    wanted: backlog(run) > 0 ? total : Math.max(0, pace * 1.5 - least),
  }));
  const shares = inOrder(left, wants, (amount, parts) => amount / parts);
  return new Map(runs.map(({ run }) => [run, least + (shares.get(run) ?? 0)]));
}

/** Of a model's rate, what each run has whatever the others want, so that none stands still. */
const LEAST = 0.02;

/** The runs that work with the model; their pace in calls a second, over all their workers. */
export function runsOf({ workers }: ModelUse): { run: string; kind: RunKind; pace: number }[] {
  const runs = new Map<string, { run: string; kind: RunKind; pace: number }>();
  for (const { run, kind, pace } of Object.values(workers)) {
    runs.set(run, { run, kind, pace: pace + (runs.get(run)?.pace ?? 0) });
  }
  return [...runs.values()];
}

/**
 * Divides the calls that may be in flight: evaluation before synthesis, evenly among runs, then evenly among a run's workers, and
 * nobody more than he could use. A share is raised only by what no other worker may still have in flight.
 */
export function withShares(use: ModelUse): ModelUse {
  const { inFlight } = use.limits;
  if (inFlight === undefined) return use;
  const targets = targetsOf(use, inFlight);
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

function targetsOf(use: ModelUse, inFlight: number): Map<string, number> {
  const members = Object.entries(use.workers);
  const wantOf = (run: string) =>
    members.reduce((sum, [, worker]) => sum + (worker.run === run ? Math.max(1, worker.wanted) : 0), 0);
  const ofRuns = inOrder(
    inFlight,
    runsOf(use).map(({ run, kind }) => ({ run, kind, wanted: wantOf(run) })),
    (amount, parts) => Math.floor(amount / parts),
  );
  const targets = new Map<string, number>();
  for (const [run, share] of ofRuns) {
    const wants = members
      .filter(([, worker]) => worker.run === run)
      .map(([name, { wanted }]) => [name, Math.max(1, wanted)] as const);
    for (const [name, target] of divided(share, wants, (amount, parts) => Math.floor(amount / parts))) {
      targets.set(name, target);
    }
  }
  return targets;
}

/**
 * Divides among evaluations first, then what they leave among syntheses: somebody waits for an evaluation, and it is the
 * shorter one.
 */
function inOrder(
  total: number,
  wants: readonly { readonly run: string; readonly kind: RunKind; readonly wanted: number }[],
  even: (amount: number, parts: number) => number,
): Map<string, number> {
  const of = (kind: RunKind) =>
    wants.flatMap((one) => (one.kind === kind ? [[one.run, one.wanted] as const] : []));
  const first = divided(total, of('evaluation'), even, of('synthesis').length === 0);
  const used = [...first.values()].reduce((sum, share) => sum + share, 0);
  return new Map([...first, ...divided(total - used, of('synthesis'), even)]);
}

/**
 * Divides an amount among those who want it: nobody gets more than he wants, and nobody less than an even part of it. What
 * nobody wants goes to whoever wants the most: it may come to want more.
 */
function divided(
  total: number,
  wants: readonly (readonly [name: string, wanted: number])[],
  even: (amount: number, parts: number) => number,
  whole = true,
): Map<string, number> {
  const shares = new Map<string, number>();
  let left = total;
  const ascending = wants.toSorted(([, one], [, other]) => one - other);
  for (const [index, [name, wanted]] of ascending.entries()) {
    const share = Math.min(wanted, even(left, ascending.length - index));
    shares.set(name, share);
    left -= share;
  }
  const last = ascending.at(-1)?.[0];
  if (whole && last !== undefined) shares.set(last, (shares.get(last) ?? 0) + left);
  return shares;
}
