import type { EMBEDDED } from '../schemas/run/run';

/** How often activities that ask models report that they are alive, and how long after the last report they are run again. */
interface Heartbeats {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Between two queries of a process whether its directives have changed, at least. */
  readonly queryMs: number;
}

/**
 * Returns the intervals for an engine. On the embedded engine a killed worker costs 4.5 seconds. Temporal Cloud bills every heartbeat and
 * query, so a cluster gets far fewer. There most activities send none, and a killed worker costs 90 seconds.
 * @param engine its id: `embedded`, or a cluster's address and namespace
 */
export function getHeartbeats(engine: string): Heartbeats {
  return engine === EMBEDDED_ENGINE
    ? EMBEDDED_HEARTBEATS
    : { intervalMs: 30_000, timeoutMs: 90_000, queryMs: 10_000 };
}

// Not imported as a value, since workflows would get the schemas with it.
const EMBEDDED_ENGINE: typeof EMBEDDED = 'embedded';

const EMBEDDED_HEARTBEATS: Heartbeats = { intervalMs: 2_000, timeoutMs: 4_500, queryMs: 0 };

/** What a run's workflows are started with, and start others with. */
export function buildHeartbeatMemo({ timeoutMs }: Heartbeats): Record<string, unknown> {
  return { [HEARTBEAT_TIMEOUT]: timeoutMs };
}

/** @param memo of a workflow; a workflow without it runs on the embedded engine */
export function readHeartbeatTimeout(memo: Readonly<Record<string, unknown>> = {}): number {
  const timeoutMs = memo[HEARTBEAT_TIMEOUT];
  return typeof timeoutMs === 'number' ? timeoutMs : EMBEDDED_HEARTBEATS.timeoutMs;
}

const HEARTBEAT_TIMEOUT = 'heartbeatTimeoutMs';
