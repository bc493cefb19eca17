import type { RunKind } from '../../schemas/run/run';
import type { Budget } from '../../schemas/run/steering';
import { sum } from '../../schemas/sum';

/**
 * Resources of workers: calls in flight now; requests and tokens in any minute; the part of a run's budget, in money or tokens. A missing amount
 * is unlimited.
 */
type Resource = 'inFlight' | 'requests' | 'tokens' | 'budget';
export type Amounts = { readonly [R in Resource]?: number | undefined };

/** Milliseconds for which a worker may use its lease without renewal. */
export const LEASE_MS = 30_000;

/** A minute, plus the variation in how long requests take from the gate to the provider. */
export const WINDOW_MS = 62_000;

export interface LeaseReport {
  readonly worker: string;
  readonly run: string;
  readonly kind: RunKind;
  /** Number of its report: one that arrives late is outdated. */
  readonly sequence: number;
  /** The amounts it uses. */
  readonly leased: Amounts;
  /** Calls in flight; requests and tokens of the last `WINDOW_MS`; total spent of the budget. */
  readonly used: Amounts;
  /** Calls waiting to be sent. */
  readonly waiting: number;
}

type Member<Report> = Report & {
  readonly seenAtMs: number;
  /** Amounts that it may use, until it reports smaller ones. */
  readonly granted: Amounts;
};

/** Requests and tokens that departed workers sent or may have sent, and the time until which they count. */
export interface PastUsage {
  readonly untilMs: number;
  readonly requests: number;
  readonly tokens: number;
}

export interface LeasesState<Report extends LeaseReport = LeaseReport> {
  readonly members: readonly Member<Report>[];
  readonly past: readonly PastUsage[];
}

/**
 * Leases of one control workflow, which divide a limit among the workers that report. Together they never exceed the limit: a share grows
 * only by what no other worker can still use. So a limit holds in every minute, even if a worker dies or is cut off. A worker without
 * an answer for half a minute stops sending, and a minute later its share is free. Reports contain grants and usage, so a report that
 * arrives twice, or an answer that is lost, changes nothing.
 */
export class Leases<Report extends LeaseReport = LeaseReport> {
  readonly #members: Map<string, Member<Report>>;
  #past: PastUsage[];

  /** @param grantsFromMs time until which leases of a predecessor may be in use; nothing more is granted before */
  constructor(
    { members, past }: LeasesState<Report> = { members: [], past: [] },
    private readonly grantsFromMs = 0,
  ) {
    this.#members = new Map(members.map((member) => [member.worker, member]));
    this.#past = [...past];
  }

  get state(): LeasesState<Report> {
    return { members: [...this.#members.values()], past: this.#past };
  }

  get members(): readonly Member<Report>[] {
    return [...this.#members.values()];
  }

  memberOf(worker: string): Member<Report> | undefined {
    return this.#members.get(worker);
  }

  /** Returns true for a report that arrives after a later one. Its worker gave up waiting for it, and may have been granted more since. */
  isOutdated({ worker, sequence }: Pick<LeaseReport, 'worker' | 'sequence'>): boolean {
    return (this.#members.get(worker)?.sequence ?? 0) >= sequence;
  }

  /** Records a report, unless it is outdated. Returns true for a worker's first report. */
  renew(report: Report, nowMs: number): boolean {
    if (this.isOutdated(report)) return false;
    const isNew = !this.#members.has(report.worker);
    this.#members.set(report.worker, { ...report, granted: report.leased, seenAtMs: nowMs });
    return isNew;
  }

  /** Grants a worker its part of a limit on calls in flight, or on requests or tokens a minute. */
  grant(worker: string, resource: Exclude<Resource, 'budget'>, limit: number, nowMs: number): number {
    const member = this.#of(worker);
    if (nowMs < this.grantsFromMs) return Math.min(limit, member.leased[resource] ?? 0);
    const target = computeTargets(resource, limit, this.members).get(worker) ?? 0;
    const heldAmount = computeHeld(member, resource);
    const free = limit - this.#heldOf(resource, nowMs);
    const granted =
      target <= heldAmount ? target : heldAmount + Math.max(0, Math.min(target - heldAmount, free));
    this.#hold(member, resource, granted);
    return granted;
  }

  /** Returns true if a worker should report again soon. Either it holds much more than its share and another worker lacks much, or the reverse. */
  changesHands(worker: string, resource: Exclude<Resource, 'budget'>, limit: number): boolean {
    const targets = computeTargets(resource, limit, this.members);
    const targetOf = ({ worker: name }: Member<Report>) => targets.get(name) ?? 0;
    const exceeds = (member: Member<Report>) =>
      (member.granted[resource] ?? 0) * HANDOVER_RATIO > targetOf(member);
    const lacks = (member: Member<Report>) => {
      const [heldAmount, target] = [computeHeld(member, resource), targetOf(member)];
      if (heldAmount === 0) return target > 0;
      const usesUp = (member.used[resource] ?? 0) >= heldAmount * HANDOVER_RATIO;
      return usesUp && heldAmount < target * HANDOVER_RATIO && target - heldAmount > 1;
    };
    const reporter = this.#of(worker);
    const otherMembers = this.members.filter((member) => member !== reporter);
    return (exceeds(reporter) && otherMembers.some(lacks)) || (lacks(reporter) && otherMembers.some(exceeds));
  }

  /**
   * Grants another slice of a budget to a worker that asks for more.
   * @param settledAmount amount spent by departed workers
   * @returns the total that the worker may spend; undefined if nothing is left
   */
  grantBudget(worker: string, { cap }: Budget, settledAmount: number, nowMs: number): number | undefined {
    const member = this.#of(worker);
    const { used, leased } = member;
    if (nowMs < this.grantsFromMs) return leased.budget ?? used.budget ?? 0;
    const left = this.budgetLeft(cap, settledAmount);
    if (left <= cap * DUST) return undefined;
    // Overspending is paid first.
    const granted = Math.max(leased.budget ?? 0, used.budget ?? 0) + Math.min(left, cap * SLICE);
    this.#hold(member, 'budget', granted);
    return granted;
  }

  /** Sets the amount that a worker has spent of a budget in its current unit, with nothing leased beyond it. */
  revalue(worker: string, spentAmount: number): void {
    const member = this.#of(worker);
    const { budget: _, ...leased } = member.leased;
    this.#members.set(worker, {
      ...member,
      leased,
      used: { ...member.used, budget: spentAmount },
      granted: { ...member.granted, budget: spentAmount },
    });
  }

  budgetLeft(cap: number, settledAmount: number): number {
    return cap - settledAmount - sum(this.members.map((member) => computeHeld(member, 'budget')));
  }

  /** Returns the requests and tokens of the last minute, over all workers. */
  lastMinute(nowMs: number): { readonly requests: number; readonly tokens: number } {
    const computeUse = (resource: 'requests' | 'tokens') =>
      sum(this.members.map(({ used }) => used[resource] ?? 0)) + this.#pastOf(resource, nowMs);
    return { requests: computeUse('requests'), tokens: computeUse('tokens') };
  }

  expired(nowMs: number): string[] {
    return this.members.flatMap(({ worker, seenAtMs }) => (nowMs - seenAtMs > LEASE_MS ? [worker] : []));
  }

  /** Ends the lease of a worker that left, or whose lease expired. An expired one may have been used up. */
  end(worker: string, nowMs: number): void {
    const member = this.#members.get(worker);
    if (member === undefined) return;
    this.#members.delete(worker);
    const amountOf = (resource: 'requests' | 'tokens') =>
      nowMs > member.seenAtMs ? computeHeld(member, resource) : (member.used[resource] ?? 0);
    const [requests, tokens] = [amountOf('requests'), amountOf('tokens')];
    if (requests > 0 || tokens > 0) this.#past.push({ untilMs: nowMs + WINDOW_MS, requests, tokens });
  }

  #of(worker: string): Member<Report> {
    const member = this.#members.get(worker);
    if (member === undefined) throw new Error(`${worker} has not reported.`);
    return member;
  }

  #hold(member: Member<Report>, resource: Resource, granted: number): void {
    const highestGrant = Math.max(granted, member.granted[resource] ?? 0);
    this.#members.set(member.worker, { ...member, granted: { ...member.granted, [resource]: highestGrant } });
  }

  #heldOf(resource: Exclude<Resource, 'budget'>, nowMs: number): number {
    const past = resource === 'inFlight' ? 0 : this.#pastOf(resource, nowMs);
    return past + sum(this.members.map((member) => computeHeld(member, resource)));
  }

  #pastOf(resource: 'requests' | 'tokens', nowMs: number): number {
    this.#past = this.#past.filter(({ untilMs }) => untilMs > nowMs);
    return sum(this.#past.map((past) => past[resource]));
  }
}

/** Returns the maximum of a worker's grant and its usage. */
function computeHeld(
  { granted, used }: Pick<Member<LeaseReport>, 'granted' | 'used'>,
  resource: Resource,
): number {
  return Math.max(granted[resource] ?? 0, used[resource] ?? 0);
}

/** Largest share of a budget that is granted at once. A dead worker may leave this much unspent for a while. */
const SLICE = 0.01;

/** Rounding tolerance: sums of fractions may leave this share of a budget. */
const DUST = 1e-9;

/**
 * A worker that holds less than this share of its target, and more than one less, lacks the rest. Normal variation of demand, and of small targets
 * by one, stays below that.
 */
const HANDOVER_RATIO = 0.7;

/** Share of a limit that each run gets regardless of the others' demand, so that no run stalls. */
const RESERVE = 0.02;

type Claim = Pick<LeaseReport, 'worker' | 'run' | 'kind' | 'used' | 'waiting'>;

/**
 * Divides a limit: first evaluation, then synthesis, because users wait for evaluations and these are shorter. Within each, runs get even parts,
 * and so do the workers of a run; none gets more than it can use. Unused amounts are divided evenly, because they may be needed later.
 */
export function computeTargets(
  resource: Exclude<Resource, 'budget'>,
  limit: number,
  claims: readonly Claim[],
): Map<string, number> {
  const byName = claims.toSorted((a, b) => (a.worker < b.worker ? -1 : 1));
  const wants = new Map(byName.map((claim) => [claim.worker, computeWant(resource, limit, claim)]));
  const runs = [...new Map(byName.map(({ run, kind }) => [run, kind]))].map(([run, kind]) => {
    const workers = byName.filter((claim) => claim.run === run);
    return { run, kind, workers, want: sum(workers.map(({ worker }) => wants.get(worker) ?? 0)) };
  });
  const reserve = Math.max(limit * RESERVE, Math.min(1, limit / runs.length));
  const shares = new Map(runs.map(({ run, want }) => [run, Math.min(want, reserve)]));
  for (const kind of ['evaluation', 'synthesis']) {
    const claimed = runs.filter((candidate) => candidate.kind === kind);
    const unmetWants = claimed.map(({ run, want }) => [run, want - (shares.get(run) ?? 0)] as const);
    for (const [run, share] of divideFairly(limit - sum(shares.values()), unmetWants))
      shares.set(run, share + (shares.get(run) ?? 0));
  }
  const targets = new Map<string, number>();
  for (const { run, workers } of runs) {
    const claimed = workers.map(({ worker }) => [worker, wants.get(worker) ?? 0] as const);
    for (const [worker, share] of divideFairly(shares.get(run) ?? 0, claimed)) targets.set(worker, share);
  }
  const each = Math.max(0, limit - sum(targets.values())) / targets.size;
  return roundShares(new Map([...targets].map(([worker, share]) => [worker, share + each])), limit);
}

/** Returns the amount that a worker can use: everything if calls wait; otherwise somewhat more than it uses now. */
function computeWant(resource: Resource, limit: number, { used, waiting }: Claim): number {
  const level = used[resource] ?? 0;
  if (resource === 'inFlight') return Math.min(limit, Math.max(1, level + waiting));
  return waiting > 0 ? limit : Math.min(limit, Math.max(1, level * 1.5));
}

/** Divides an amount: each gets its demand, up to an even share; unused shares are divided among the others. */
function divideFairly(
  amount: number,
  wants: readonly (readonly [name: string, want: number])[],
): Map<string, number> {
  const shares = new Map<string, number>();
  let left = Math.max(0, amount);
  for (const [index, [name, want]] of wants.toSorted(([, a], [, b]) => a - b).entries()) {
    const share = Math.min(want, left / (wants.length - index));
    shares.set(name, share);
    left -= share;
  }
  return shares;
}

/** Rounds shares down and gives the remainder to the first ones, one each, so that the sum stays the same. */
function roundShares(shares: ReadonlyMap<string, number>, limit: number): Map<string, number> {
  const wholes = new Map([...shares].map(([name, share]) => [name, Math.floor(share + 1e-6)]));
  let left = Math.min(limit, Math.round(sum(shares.values()))) - sum(wholes.values());
  const byFraction = [...shares].toSorted(([, a], [, b]) => getFraction(b) - getFraction(a));
  for (const [name] of byFraction) {
    if (left <= 0) break;
    wholes.set(name, (wholes.get(name) ?? 0) + 1);
    left -= 1;
  }
  return wholes;
}

/** Returns the rounded fraction, so that equal shares keep their order. */
function getFraction(share: number): number {
  return Math.round((share % 1) * 1e6);
}
