import { isCluster } from '../schemas/run/engine';

/** How often activities that ask models send heartbeats, and how long after the last one they are restarted. */
interface Heartbeats {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Minimum time between two queries for changed directives, in milliseconds. */
  readonly queryMs: number;
}

/**
 * Returns the intervals for an engine. On the embedded engine a killed `cupid worker` costs 4 seconds, because its activities make the
 * calls of whole personas. Temporal Cloud bills every heartbeat and query, so a cluster gets far fewer. There most activities send none, and a killed
 * worker costs 90 seconds.
 * @param engine its id: `embedded`, or a cluster's address and namespace
 */
export function getHeartbeats(engine: string): Heartbeats {
  return isCluster(engine) ? { intervalMs: 30_000, timeoutMs: 90_000, queryMs: 10_000 } : EMBEDDED_HEARTBEATS;
}

// A process that stalls for 2.5 seconds on a busy machine loses no activity.
const EMBEDDED_HEARTBEATS: Heartbeats = { intervalMs: 1_500, timeoutMs: 4_000, queryMs: 0 };

/** Builds the memo that a run's workflows start with and pass on. */
export function buildHeartbeatMemo({ timeoutMs }: Heartbeats): Record<string, unknown> {
  return { [HEARTBEAT_TIMEOUT]: timeoutMs };
}

/** @param memo memo of a workflow; without it, the embedded engine's interval applies */
export function readHeartbeatTimeout(memo: Readonly<Record<string, unknown>> = {}): number {
  const timeoutMs = memo[HEARTBEAT_TIMEOUT];
  return typeof timeoutMs === 'number' ? timeoutMs : EMBEDDED_HEARTBEATS.timeoutMs;
}

const HEARTBEAT_TIMEOUT = 'heartbeatTimeoutMs';
