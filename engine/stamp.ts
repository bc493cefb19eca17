/**
 * The last argument of every message on the embedded engine: what the message is for, and when it was sent. Together with the other
 * arguments it is signed, so a copy of a signed message is of no use for anything else.
 */
interface Stamp {
  /** Such as `update steer`. */
  readonly for: string;
  /** Milliseconds since 1970; of a workflow, in its own time. */
  readonly at: number;
}

/** Kinds of stamped messages. */
export type StampKind = 'workflow' | 'activity' | 'signal' | 'update' | 'query';

export function createStamp(kind: StampKind, name: string, nowMs: number): Stamp {
  return { for: `${kind} ${name}`, at: nowMs };
}

/** Returns the arguments without the stamp behind them, and the stamp; undefined where there is none. */
export function splitStamp(args: readonly unknown[]): {
  readonly args: unknown[];
  readonly stamp: Stamp | undefined;
} {
  const last = args.at(-1);
  return isStamp(last) ? { args: args.slice(0, -1), stamp: last } : { args: [...args], stamp: undefined };
}

function isStamp(value: unknown): value is Stamp {
  if (typeof value !== 'object' || value === null) return false;
  return 'for' in value && typeof value.for === 'string' && 'at' in value && typeof value.at === 'number';
}

/**
 * Why a message is rejected, as the end of a sentence; undefined when it is not.
 * @param sinceMs what it must not be older than; absent where it may be of any age
 */
export function findStampProblem(
  stamp: Stamp | undefined,
  kind: StampKind,
  name: string,
  sinceMs = Number.NEGATIVE_INFINITY,
): string | undefined {
  if (stamp === undefined) return 'it is not signed with the key of this engine';
  if (stamp.for !== `${kind} ${name}`) return `it was signed for something else (${stamp.for})`;
  if (stamp.at < sinceMs) return 'it is outdated: it was sent before, or before the clock was set back';
  return undefined;
}

/** Milliseconds that a message may be on its way, where an old one would do harm. */
export const STAMP_VALID_MS = 60_000;
