/** What a worker may spend of a budget, in the budget's unit: all figures since it began. */
export interface Lease {
  readonly granted: number;
  /** Calls in flight at what they are expected to take. */
  readonly spent: number;
}

/** The largest part of a budget that one lease is enlarged by (decision 10): what a dead worker may have left unspent. */
const SLICE = 0.01;

/** What a budget has left that neither is spent nor leased. */
export function unleased(cap: number, settled: number, leases: Iterable<Lease>): number {
  let left = cap - settled;
  for (const { granted, spent } of leases) left -= Math.max(granted, spent);
  return left;
}

/** The lease with another slice, if there is anything left; a debt is paid first. */
export function enlarged(lease: Lease, cap: number, left: number): Lease {
  if (left <= 0) return lease;
  return { ...lease, granted: Math.max(lease.granted, lease.spent) + Math.min(left, cap * SLICE) };
}

/** The lease without what is not spent of it. */
export function returned(lease: Lease): Lease {
  return { ...lease, granted: Math.min(lease.granted, lease.spent) };
}

/** Divides so many calls in flight evenly among workers, in the order of their names. */
export function evenly(total: number, names: readonly string[]): Map<string, number> {
  const each = Math.floor(total / names.length);
  const more = total - each * names.length;
  return new Map(names.toSorted().map((name, index) => [name, each + (index < more ? 1 : 0)]));
}
