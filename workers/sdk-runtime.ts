import { ApplicationFailure, type LogMetadata } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { startOnFreePort } from './server/free-port';
import { parseCallPlace } from './telemetry/call-place';
import type { Log, LogRecord } from './telemetry/log';
import type { Telemetry } from './telemetry/telemetry';

/**
 * Installs the SDK's runtime, which exists once a process; if it exists, only its log changes, and earlier outages no longer count.
 * @param log receives the SDK's warnings, which would otherwise tear the progress display
 * @param telemetry shows the SDK's metrics with its own, if it shows any
 */
export async function installRuntime(log: Log, telemetry: Telemetry | undefined): Promise<void> {
  currentLog = log;
  outages = new ServerOutages();
  await (installed ??= installAtFreePort(telemetry));
}

let currentLog: Log | undefined;
let installed: Promise<void> | undefined;

/** Installs the runtime with a free port of our choice, because the SDK does not report a port that it chose. */
async function installAtFreePort(telemetry: Telemetry | undefined): Promise<void> {
  if (telemetry?.url === undefined) return installAt(undefined);
  const install = (port: number) => {
    const address = `127.0.0.1:${port}`;
    installAt(address);
    telemetry.includeSdk(address);
  };
  await startOnFreePort(install, (error) => String(error).includes('Address already in use'));
}

function installAt(metricsAddress: string | undefined): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // Activities classify these failures and report them elsewhere; a stack for each 429 would flood the log.
      if (meta?.['error'] instanceof ApplicationFailure) return;
      if (isRoutine(message)) return;
      if (isUnreachable(message, meta)) {
        if (outages.record(performance.now())) currentLog?.({ level, message: UNREACHABLE });
        return;
      }
      currentLog?.({ ...describeLogSource(meta), ...meta, level, message });
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsAddress === undefined
        ? {}
        : { metrics: { prometheus: { ...PROMETHEUS_NAMES, bindAddress: metricsAddress } } }),
    },
    // The command decides what Ctrl-C means.
    shutdownSignals: [],
  });
}

/** Names metrics as Prometheus does: in seconds, with their unit, counters as totals. */
const PROMETHEUS_NAMES = {
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
} as const;

/** Returns whether a warning of the SDK is about what happens in every run, or in every run that is cancelled or ends. */
export function isRoutine(message: string): boolean {
  return ROUTINE.test(message);
}

const ROUTINE = new RegExp(
  [
    // Separate workers run calls and control models, so no worker polls for everything.
    '^No (?:workflows|activities) registered, not polling',
    // The answer of a call in flight arrives after `cupid cancel`; the journal has it.
    '^Activity not found on completion',
    // A task of a workflow took more than five seconds, as on a busy machine or while its server stops. A lost one is repeated.
    String.raw`^\[TMPRL1104\]`,
    // The embedded server ends with the run's command, before the other workers.
    '^shutdown_worker rpc errored during worker shutdown',
  ].join('|'),
);

const UNREACHABLE =
  'The Temporal server has not been reachable for 30 s. Every request is repeated until it answers. Check that the server runs.';

/** Returns whether a warning of the SDK says only that the server cannot be reached. Each request repeats it with every attempt. */
export function isUnreachable(message: string, meta: LogMetadata | undefined): boolean {
  return LOST_CONNECTION.test(`${message} ${String(meta?.['error'])}`);
}

/** The SDK writes the code of an error in two forms. The rest is what it reports when a connection breaks before the answer. */
const LOST_CONNECTION =
  /^Network error while|\bcode: (?:Unavailable|'The service is currently unavailable)|transport error|h2 protocol error|error reading a body from connection/;

/**
 * Selects the warnings about an unreachable server that are reported: one for each outage that lasts. A server that ends with its command is
 * reported by the worker itself, which stops within seconds.
 */
export class ServerOutages {
  #sinceMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isReported = false;

  /** Records a warning; returns true if it is to be reported. */
  record(nowMs: number): boolean {
    if (nowMs - this.#lastMs > QUIET_MS) {
      this.#sinceMs = nowMs;
      this.#isReported = false;
    }
    this.#lastMs = nowMs;
    if (this.#isReported || nowMs - this.#sinceMs < LASTING_MS) return false;
    this.#isReported = true;
    return true;
  }
}

/** Time without such a warning after which an outage is over: longer than the SDK waits between two attempts. */
const QUIET_MS = 60_000;
const LASTING_MS = 30_000;

let outages = new ServerOutages();

/** Describes the run and the persona of an SDK report. */
function describeLogSource(meta: LogMetadata | undefined): Partial<LogRecord> {
  const id: unknown = meta?.['workflowId'];
  if (typeof id !== 'string') return {};
  const [run = id] = id.split('/');
  return { run, ...parseCallPlace(id) };
}
