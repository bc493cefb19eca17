import type { RunListener } from '../../activities/run-events';
import type { ModelTable } from '../../schemas/model/model-table';
import type { LedgerRow } from '../../schemas/run/ledger';
import { openEndpoint, type EndpointAddress, type Endpoint } from './endpoint';
import { Metrics, type MeasuredRun } from './metrics';
import { isTracing } from './trace-settings';
import type { Traces } from './traces';

/** Check that lists the reasons that keep this process from its work now; none when it is ready. */
type ReadinessCheck = () => readonly string[];

/** A run that this process works for. */
interface JoinedRun extends MeasuredRun {
  readonly problems: ReadinessCheck;
}

/**
 * Opens what this process shows of itself: metrics and health at an address, traces where the environment says (docs/telemetry.md).
 * @throws Error that says what to do when the address or the environment cannot be used
 */
export async function openTelemetry(
  address: EndpointAddress | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Telemetry> {
  const tracing = isTracing(environment) ? await import('./traces.js') : undefined;
  const traces = tracing?.openTraces(environment);
  if (address === undefined) return new Telemetry(undefined, undefined, undefined, traces);
  const metrics = new Metrics();
  const sdk = new SdkMetrics();
  const readiness = new Set<ReadinessCheck>();
  const endpoint = await openEndpoint({
    ...address,
    metrics: async () => (await metrics.render()) + (await sdk.read()),
    problems: () =>
      readiness.size === 0 ? ['This process works for no run.'] : [...readiness].flatMap((list) => list()),
  });
  return new Telemetry(endpoint, metrics, sdk, traces, readiness);
}

/** Metrics, health and traces of this process. */
export class Telemetry {
  constructor(
    private readonly endpoint: Endpoint | undefined,
    private readonly metrics: Metrics | undefined,
    private readonly sdk: SdkMetrics | undefined,
    private readonly traces: Traces | undefined,
    private readonly readiness: Set<ReadinessCheck> = new Set<ReadinessCheck>(),
  ) {}

  /** Address at which metrics and health are served; undefined when they are not. */
  get url(): string | undefined {
    return this.endpoint?.url;
  }

  /** Shows the metrics that the Temporal SDK serves at this address with those of this process. */
  includeSdk(address: string): void {
    this.sdk?.readAt(address);
  }

  /** Lists the listeners that follow a run. @param prices those in force */
  listenersOf(run: string, prices: () => ModelTable): RunListener[] {
    return [this.metrics?.listen(prices), this.traces?.listen(run)].filter(
      (listener) => listener !== undefined,
    );
  }

  /** Counts calls that no run's ledger was open for. */
  count(rows: readonly LedgerRow[], prices: ModelTable): void {
    for (const row of rows) this.metrics?.count(row, prices);
  }

  /** Shows a run's values until the returned function is called; its workers run until that resolves. */
  join(run: JoinedRun): () => Promise<void> {
    const leave = this.require(() => run.problems().map((problem) => `${run.run}: ${problem}`));
    const forget = this.metrics?.measure(run);
    return async () => {
      leave();
      forget?.();
      await this.sdk?.read();
    };
  }

  /** Has this process be ready only without these problems, until the returned function is called. */
  require(problems: ReadinessCheck): () => void {
    this.readiness.add(problems);
    return () => void this.readiness.delete(problems);
  }

  /** Waits for a last scrape of the metrics: what is counted by then is in it. */
  async untilScraped(): Promise<void> {
    await this.endpoint?.untilScraped();
  }

  /** Sends what is left of the traces, and ends. */
  async close(): Promise<void> {
    await this.traces?.close();
    await this.endpoint?.close();
  }
}

/** The metrics of the SDK, which serves them as long as a worker runs; after that, the last ones. */
class SdkMetrics {
  #address: string | undefined;
  #last = '';

  readAt(address: string): void {
    this.#address = address;
  }

  async read(): Promise<string> {
    if (this.#address === undefined) return '';
    try {
      const response = await fetch(`http://${this.#address}/metrics`);
      this.#last = await response.text();
    } catch {
      // No worker runs.
    }
    return this.#last;
  }
}
