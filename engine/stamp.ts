/**
 * Last argument of every message on the embedded engine: its purpose and its time. It is signed with the other arguments, so that a copied message
 * cannot be used for anything else.
 */
interface Stamp {
  /** Such as `update steer`. */
  readonly for: string;
  /** Milliseconds since 1970; in a workflow, workflow time. */
  readonly at: number;
}

/** Kinds of stamped messages. */
export type StampKind = 'workflow' | 'activity' | 'signal' | 'update' | 'query';

export function createStamp(kind: StampKind, name: string, nowMs: number): Stamp {
  return { for: `${kind} ${name}`, at: nowMs };
}

/** Splits arguments from the stamp behind them; the stamp is undefined if there is none. */
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
 * Explains why a message is rejected, as the end of a sentence; undefined if it is accepted.
 * @param sinceMs time before which the message is outdated; absent for any age
 */
export function findStampProblem(
  stamp: Stamp | undefined,
  kind: StampKind,
  name: string,
  sinceMs = Number.NEGATIVE_INFINITY,
): string | undefined {
  if (stamp === undefined) return 'it is not signed with the key of this engine';
  if (stamp.for !== `${kind} ${name}`) return `it was signed for something else (${stamp.for})`;
  if (stamp.at < sinceMs) return 'it is outdated: it was sent earlier, or the clock was set back since';
  return undefined;
}

/** Maximum age, in milliseconds, of a message that would do harm if it were old. */
export const STAMP_VALID_MS = 60_000;
