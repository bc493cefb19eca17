import { ApplicationFailure, type LogMetadata } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { startOnFreePort } from './server/free-port';
import { parseCallPlace } from './telemetry/call-place';
import type { Log, LogRecord } from './telemetry/log';
import type { Telemetry } from './telemetry/telemetry';

/**
 * Installs the SDK's runtime, which exists once a process: when it is there, only its log changes.
 * @param log where its warnings go from now on; by themselves they would tear the progress display
 * @param telemetry shows the SDK's metrics with its own, where it shows any
 */
export async function installRuntime(log: Log, telemetry: Telemetry | undefined): Promise<void> {
  currentLog = log;
  await (installed ??= installAtFreePort(telemetry));
}

let currentLog: Log | undefined;
let installed: Promise<void> | undefined;

/** Returns the SDK does not report a port that it chose by itself. */
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
      // What the activities classified themselves is shown, counted or kept elsewhere; a stack for each 429 is not a log.
      if (meta?.['error'] instanceof ApplicationFailure) return;
      // Calls have a worker of their own, and so have the limits of models: none of them does all.
      if (NOT_POLLING.test(message)) return;
      currentLog?.({ ...describeSource(meta), ...meta, level, message });
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

/** As Prometheus names metrics: in seconds, with their unit, counters as totals. */
const PROMETHEUS_NAMES = {
  countersTotalSuffix: true,
  unitSuffix: true,
  useSecondsForDurations: true,
} as const;

/** What the SDK warns of at the start of a worker for activities only, or for workflows only. */
const NOT_POLLING = /^No (?:workflows|activities) registered, not polling/;

/** Returns the run and the persona of what the SDK reports. */
function describeSource(meta: LogMetadata | undefined): Partial<LogRecord> {
  const id: unknown = meta?.['workflowId'];
  if (typeof id !== 'string') return {};
  const [run = id] = id.split('/');
  return { run, ...parseCallPlace(id) };
}
