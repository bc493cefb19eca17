import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RunListener } from '../../activities/run-events';
import { computeCost } from '../../engine/costs/prices';
import type { PlannedCall } from '../../engine/limits/call-guard';
import { formatModelName } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';
import type { LedgerRow } from '../../schemas/run/ledger';
import { version } from '../../package.json';

/** State of a run that metrics show, from its control workflow. */
interface RunState {
  readonly spent: Readonly<Record<'usd' | 'tokens', number>>;
  readonly steering: {
    readonly budget?: { readonly cap: number; readonly unit: 'usd' | 'tokens' } | undefined;
  };
  /** Required, so that the control's state is checked to have it. */
  readonly pause: { readonly by: 'user' | 'budget' } | undefined;
  readonly workers: readonly unknown[];
}

/** A run that this process works for, for the values that are read when they are asked for. */
export interface MeasuredRun {
  readonly run: string;
  readonly models: readonly string[];
  /** Calls to a model that wait to be sent. */
  readonly waiting: (spec: string) => number;
  /** As its control workflow knows it; undefined while that does not answer. */
  readonly state: () => Promise<RunState | undefined>;
}

/** The metrics of this process (docs/telemetry.md). What they count, they count where the ledger gets its lines. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #runs = new Set<MeasuredRun>();
  readonly #names = new Map<string, string>();

  readonly #calls = this.#counter('cupid_calls_total', 'Calls that ended, by outcome.', [
    ...OF_CALL,
    'outcome',
    'error',
  ]);
  readonly #tokens = this.#counter(
    'cupid_tokens_total',
    'Tokens. input includes cached tokens, output includes reasoning; assumed tokens are estimates for calls whose provider reported none.',
    [...OF_CALL, 'type'],
  );
  readonly #cost = this.#counter('cupid_cost_usd_total', 'Cost by the price table, in US dollars.', OF_CALL);
  readonly #journal = this.#counter(
    'cupid_journal_answers_total',
    'Answers found in the journal, for which no call was made.',
    ['model', 'step'],
  );
  readonly #duration = this.#histogram(
    'cupid_call_duration_seconds',
    'Time from sending a call to its answer, of answered calls.',
    ['model', 'step'],
  );
  readonly #leaseWait = this.#histogram(
    'cupid_lease_wait_seconds',
    'Time that a call waited in this process for its leases.',
    ['model'],
  );
  readonly #inFlight = this.#gauge('cupid_calls_in_flight', 'Calls that were sent and have no answer yet.', [
    'model',
  ]);

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.#gauge('cupid_build_info', 'The version of cupid; always 1.', ['version']).set({ version }, 1);
    this.#addMeasuredValues();
  }

  /** Renders all metrics in Prometheus' text format. */
  async render(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Reports the current values of a run from now on, until the returned function is called. */
  measure(run: MeasuredRun): () => void {
    this.#runs.add(run);
    return () => this.#runs.delete(run);
  }

  /** Counts what happens to the calls of a run. @param prices those in force */
  listen(prices: () => ModelTable): RunListener {
    const waitingSince = new WeakMap<PlannedCall, number>();
    return (event) => {
      switch (event.type) {
        case 'waiting':
          return void waitingSince.set(event.call, performance.now());
        case 'admitted': {
          const waitedMs = performance.now() - (waitingSince.get(event.call) ?? performance.now());
          return this.#leaseWait.observe({ model: this.#name(event.call.spec) }, waitedMs / 1000);
        }
        case 'sent':
          return this.#inFlight.inc({ model: this.#name(event.line.spec) });
        case 'answered':
        case 'failed':
          this.#inFlight.dec({ model: this.#name(event.line.spec) });
          if (event.row !== undefined) this.count(event.row, prices());
          return;
        case 'found':
          return this.#journal.inc({ model: this.#name(event.spec), step: event.step });
        case 'batch':
          for (const row of event.rows) this.count(row, prices());
          return;
        case 'released':
        case 'learned':
        case 'silent':
        case 'noticed':
        case 'delayed':
      }
    };
  }

  count(row: LedgerRow, prices: ModelTable): void {
    const { spec, step, tier = 'standard', calls, badAnswers, refusals, assumedTokens, durationMs } = row;
    const model = this.#name(spec);
    const labels = { model, step, tier };
    const verdicts = { good: calls - badAnswers - refusals, bad: badAnswers, refused: refusals };
    for (const [outcome, count] of Object.entries(verdicts)) {
      if (count > 0) this.#calls.inc({ ...labels, outcome, error: '' }, count);
    }
    for (const [error, count] of Object.entries(row.failures))
      this.#calls.inc({ ...labels, outcome: 'failed', error }, count);
    const tokens = {
      input: row.input,
      cached_read: row.cachedRead,
      cached_write: row.cachedWrite,
      output: row.output,
      reasoning: row.reasoning,
      assumed_input: assumedTokens.input,
      assumed_output: assumedTokens.output,
    };
    for (const [type, count = 0] of Object.entries(tokens))
      if (count > 0) this.#tokens.inc({ ...labels, type }, count);
    const { usd, unpricedModels } = computeCost([row], prices);
    if (unpricedModels.length === 0) this.#cost.inc(labels, usd);
    // How long one request of a batch took, nobody knows.
    if (calls > 0 && tier !== 'batch') this.#duration.observe({ model, step }, durationMs / 1000);
  }

  #addMeasuredValues(): void {
    this.#gauge(
      'cupid_calls_waiting',
      'Calls that wait for their leases in this process.',
      ['model'],
      (gauge) => {
        for (const { models, waiting } of this.#runs) {
          for (const spec of new Set(models)) gauge.inc({ model: this.#name(spec) }, waiting(spec));
        }
      },
    );
    // Asked once for all of these.
    let states: Promise<readonly (readonly [string, RunState])[]> = Promise.resolve([]);
    const ofRuns = (
      name: string,
      help: string,
      labels: readonly string[],
      set: (gauge: Gauge, run: string, state: RunState) => void,
    ) =>
      this.#gauge(name, help, ['run', ...labels], async (gauge) => {
        for (const [run, state] of await states) set(gauge, run, state);
      });
    this.#gauge('cupid_runs', 'Runs that this process works for.', [], (gauge) => {
      states = this.#readStates();
      gauge.set(this.#runs.size);
    });
    ofRuns('cupid_run_spent', 'Spent on a run by all its processes.', ['unit'], (gauge, run, { spent }) => {
      for (const [unit, amount] of Object.entries(spent)) gauge.set({ run, unit }, amount);
    });
    ofRuns('cupid_run_budget', 'The budget of a run.', ['unit'], (gauge, run, { steering: { budget } }) => {
      if (budget !== undefined) gauge.set({ run, unit: budget.unit }, budget.cap);
    });
    ofRuns('cupid_run_paused', 'Whether a run is paused.', ['by'], (gauge, run, { pause }) => {
      for (const by of ['user', 'budget']) gauge.set({ run, by }, pause?.by === by ? 1 : 0);
    });
    ofRuns('cupid_run_workers', 'Processes that work for a run.', [], (gauge, run, { workers }) =>
      gauge.set({ run }, workers.length),
    );
  }

  async #readStates(): Promise<readonly (readonly [string, RunState])[]> {
    const reads = [...this.#runs].map(async ({ run, state }) => {
      const now = await state();
      return now === undefined ? [] : [[run, now] as const];
    });
    return (await Promise.all(reads)).flat();
  }

  /** Returns a model's name for labels. */
  #name(spec: string): string {
    const knownName = this.#names.get(spec);
    if (knownName !== undefined) return knownName;
    const name = formatModelName(spec);
    this.#names.set(spec, name);
    return name;
  }

  #counter(name: string, help: string, labelNames: readonly string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, labelNames: readonly string[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.#registry] });
  }

  /** @param read sets the values when they are asked for, from none at all */
  #gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read?: (gauge: Gauge) => void | Promise<void>,
  ): Gauge {
    const collect = async () => {
      gauge.reset();
      await read?.(gauge);
    };
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      ...(read === undefined ? {} : { collect }),
    });
    return gauge;
  }
}

const OF_CALL = ['model', 'step', 'tier'] as const;

/** From a fast model's short answer to the limit of a call. */
const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 600];
